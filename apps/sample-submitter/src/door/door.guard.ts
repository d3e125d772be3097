import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { DoorRequest } from './http';
import { Settings } from '@app/config';
import { admit } from './admit';

/** Keeps everybody but trainers out. */
@Injectable()
export class DoorGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<DoorRequest>();
    const address = request.socket.remoteAddress;
    admit({ authorization: request.headers.authorization, address }, this.settings.door.apiKeys);
    return true;
  }
}
