import { OpenAiError } from '../errors/openai-error';
import { assertSameSite } from './same-site';

describe('assertSameSite', () => {
  it.each([
    { host: '127.0.0.1:30000' },
    { host: 'localhost:30000' },
    { host: '[::1]:30000' },
    { host: '192.168.1.4:30000' },
    { host: 'host.docker.internal:30000' },
    { host: 'localhost:30000', origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' },
    { host: 'localhost:30000', 'sec-fetch-mode': 'cors' },
    {},
  ])('lets in %j', (headers) => {
    expect(() => {
      assertSameSite(headers);
    }).not.toThrow();
  });

  it.each([
    ['origin', { host: '127.0.0.1:30000', origin: 'https://evil.example' }],
    ['origin', { host: '127.0.0.1:30000', origin: 'null' }],
    ['host', { host: 'evil.example:30000' }],
    ['host', { host: 'localhost.evil.example' }],
    ['sec-fetch-site', { host: '127.0.0.1:30000', 'sec-fetch-site': 'cross-site' }],
  ])('refuses by %s: %j', (param, headers) => {
    const refused = (): void => {
      assertSameSite(headers);
    };
    expect(refused).toThrow(OpenAiError);
    expect(refused).toThrow(expect.objectContaining({ status: 403, param }));
  });
});
