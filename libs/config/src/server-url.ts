/** The URL without a trailing slash and without /v1, so that both ways of writing it work. */
export function withoutVersion(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
}
