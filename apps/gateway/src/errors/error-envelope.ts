import { isRecord } from '@app/chat';
const parseObject = (body: Buffer): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
};

const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/**
 * The body of a model server's error with an `error` in OpenAI's form, without which the SDK shows no message: SGLang and vLLM
 * write the same members flat, FastAPI writes a `detail`. What they wrote stays beside it; anything else is left as it is.
 */
export const withErrorEnvelope = (body: Buffer): Buffer => {
  const written = parseObject(body);
  if (written === null || 'error' in written) return body;
  const message = written.message ?? written.detail;
  if (typeof message !== 'string') return body;
  const type = textOrNull(written.type) ?? 'server_error';
  const error = { message, type, param: textOrNull(written.param), code: textOrNull(written.code) };
  return Buffer.from(JSON.stringify({ ...written, error }));
};
