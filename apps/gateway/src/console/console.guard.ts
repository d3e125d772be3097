import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Settings } from '@app/config';
import { assertSameSite } from '../auth/same-site';
import { OpenAiError } from '../errors/openai-error';
import { roleOf, type ConsoleAccess, type ConsoleRole } from './console-role';

/** A request whose role has been found. */
export type ConsoleRequest = FastifyRequest & { rlConsoleRole?: ConsoleRole };

/** The role that the guard found. @throws OpenAiError 401 if the route was reached without it */
export const roleOfRequest = ({ rlConsoleRole }: ConsoleRequest): ConsoleRole => {
  if (rlConsoleRole === undefined) throw new OpenAiError(401, null, 'not authenticated');
  return rlConsoleRole;
};

/** What a key may, or why nothing. */
export type RoleTold =
  { readonly role: ConsoleRole; readonly refusal: null } | { readonly role: null; readonly refusal: string };

/** Lets nobody at the console's data without a role. */
@Injectable()
export class ConsoleGuard implements CanActivate {
  private readonly access: ConsoleAccess;

  constructor({ console, gateway }: Settings) {
    const { viewerKeys, operatorKeys } = console;
    this.access = { viewerKeys, operatorKeys, hasChatKeys: gateway.apiKeys.length > 0 };
  }

  /** @throws OpenAiError 401, 403 */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ConsoleRequest>();
    request.rlConsoleRole = this.roleOf(request);
    return true;
  }

  /** Whoever asks what he may is told so; that he may nothing is an answer, too. @throws OpenAiError 403 */
  tellRole(request: ConsoleRequest): RoleTold {
    try {
      return { role: this.roleOf(request), refusal: null };
    } catch (error) {
      if (error instanceof OpenAiError && error.status === 401) return { role: null, refusal: error.message };
      throw error;
    }
  }

  private roleOf({ headers, ip }: ConsoleRequest): ConsoleRole {
    if (this.access.viewerKeys.length + this.access.operatorKeys.length === 0) assertSameSite(headers);
    return roleOf(headers.authorization, ip, this.access);
  }
}
