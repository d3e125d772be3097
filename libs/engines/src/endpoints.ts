/**
 * Base of a server's OpenAI API. `/v1` is added where the URL has no version of its own (`…/v1beta/openai` and
 * `…/api/v4` do).
 */
export const apiUrl = (baseUrl: string): string => {
  const base = baseUrl.replace(/\/+$/, '');
  return /\/v\d\w*(\/|$)/.test(new URL(base).pathname) ? base : `${base}/v1`;
};

/** Base of an engine's own API (`/generate`, `/model_info`), beside the OpenAI one. */
export const engineUrl = (baseUrl: string): string => apiUrl(baseUrl).replace(/\/v1$/, '');
