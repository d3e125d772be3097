import { withErrorEnvelope } from './error-envelope';

describe('withErrorEnvelope', () => {
  it('gives a flat error an envelope, and keeps what was written', () => {
    const flat = { object: 'error', message: 'too long', type: 'BadRequestError', param: null, code: 400 };
    expect(JSON.parse(withErrorEnvelope(Buffer.from(JSON.stringify(flat))).toString())).toEqual({
      ...flat,
      error: { message: 'too long', type: 'BadRequestError', param: null, code: '400' },
    });
  });

  it('takes a detail for the message', () => {
    expect(JSON.parse(withErrorEnvelope(Buffer.from('{"detail":"Not Found"}')).toString())).toEqual({
      detail: 'Not Found',
      error: { message: 'Not Found', type: 'server_error', param: null, code: null },
    });
  });

  it.each(['', 'plain', '<html/>', '[]', 'null', '{}', '{"error":"x"}', '{"error":{"message":"m"}}', '{"message":5}'])(
    'leaves %j as it is',
    (body) => {
      expect(withErrorEnvelope(Buffer.from(body)).toString()).toBe(body);
    },
  );
});
