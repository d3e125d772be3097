/** What stands in the place of a secret. */
export const REDACTED = '***';

/** Hides user and password of every URL in a text. */
export function redactUrls(value: string): string {
  return value.replace(/\/\/[^/@\s]*@/g, `//${REDACTED}@`);
}

/** A value as it may be shown: secrets hidden, an empty secret as it is. */
export function redact(value: unknown, secret: boolean): unknown {
  if (secret) return isEmpty(value) ? value : REDACTED;
  return typeof value === 'string' ? redactUrls(value) : value;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
