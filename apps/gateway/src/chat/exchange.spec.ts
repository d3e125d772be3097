import { forwardedHeaders } from './exchange';

const FORWARDED = {
  traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
  tracestate: 'vendor=client',
  'x-request-id': 'r',
};
const HEADERS = { ...FORWARDED, authorization: 'Bearer k' };

describe('forwardedHeaders', () => {
  it('are those of the client that mean something to the model’s server', () => {
    expect(forwardedHeaders(HEADERS)).toEqual(FORWARDED);
    expect(forwardedHeaders({})).toEqual({});
  });

  it('have our trace in the place of the client’s where there is one', () => {
    const traceparent = '00-33333333333333333333333333333333-4444444444444444-01';
    expect(forwardedHeaders(HEADERS, traceparent)).toEqual({ traceparent, 'x-request-id': 'r' });
  });
});
