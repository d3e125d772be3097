import type { FastifyRequest } from 'fastify';
import { readFlatBody } from '@app/http';
import { invalidRequest, OpenAiError } from '../errors/openai-error';
import { parseJsonObject } from './parse-json';

/** A request whose key has been checked. */
export type GatewayRequest = FastifyRequest & { rlScope?: string };

/** The scope that the key check set. @throws OpenAiError 401 if the route was reached without it. */
export const scopeOfRequest = (request: GatewayRequest): string => {
  if (request.rlScope === undefined) throw new OpenAiError(401, null, 'not authenticated');
  return request.rlScope;
};

/** The body's bytes; empty for a request without one. */
export const bodyOf = (request: GatewayRequest): Buffer =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);

/**
 * Parses one of our own small bodies into its class. An empty body is an empty object.
 * @throws OpenAiError 400 that names the field.
 */
export const parseBody = <Body extends object>(type: new () => Body, raw: Buffer): Body => {
  const result = readFlatBody(type, raw.length === 0 ? {} : parseJsonObject(raw).value);
  if ('fault' in result) throw invalidRequest(result.fault.field, result.fault.message);
  return result.body;
};
