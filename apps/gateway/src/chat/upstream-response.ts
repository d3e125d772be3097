import type { UpstreamResponse } from '@app/engines';

/** Response headers of the model's server that mean something to the client. */
const PASSED_ON = /^(content-encoding|retry-after|retry-after-ms|x-request-id|x-ratelimit-.*)$/;

const typeOf = ({ headers }: UpstreamResponse): string => {
  const [type] = [headers['content-type']].flat();
  return type ?? 'application/json';
};

/** Headers of the answer that a client gets. */
export const headOf = (response: UpstreamResponse): Record<string, string> => {
  const passed = Object.entries(response.headers).filter(([name]) => PASSED_ON.test(name));
  return {
    ...Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
    'content-type': typeOf(response),
  };
};

/** Whether the answer comes event by event. */
export const isStream = (response: UpstreamResponse): boolean =>
  typeOf(response).toLowerCase().startsWith('text/event-stream');

export const isOk = (response: UpstreamResponse): boolean => response.status >= 200 && response.status < 300;

/** Neither an answer nor an error: a redirect, or a number without a meaning. */
export const isOdd = (response: UpstreamResponse): boolean =>
  !isOk(response) && (response.status < 400 || response.status > 599);
