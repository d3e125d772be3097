import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Settings } from '@app/config';
import { admit } from './admit';
import { visitorOf, type DoorRequest } from './http';

/** Keeps everybody but trainers out. */
@Injectable()
export class DoorGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<DoorRequest>();
    admit(visitorOf(request), this.settings.door.apiKeys);
    return true;
  }
}
