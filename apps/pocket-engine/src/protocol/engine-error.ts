import type { JsonObject } from './json';

const TYPES: Readonly<Record<number, string>> = { 400: 'BadRequestError', 404: 'NotFoundError' };

/** A request that the engine refuses. Its body is SGLang's. */
export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    readonly status: number,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }

  get body(): JsonObject {
    const { status, message, param } = this;
    return { object: 'error', message, type: TYPES[status] ?? 'InternalServerError', param, code: status };
  }
}

/** @throws EngineError with 400 */
export const refuse = (message: string, param: string | null = null): never => {
  throw new EngineError(400, message, param);
};
