import { Controller, Get, Req } from '@nestjs/common';
import { ConsoleGuard, type ConsoleRequest, type RoleTold } from './console.guard';

/** The one question of the console that needs no key: what the caller may. */
@Controller('console/api')
export class ConsoleRoleController {
  constructor(private readonly guard: ConsoleGuard) {}

  @Get('role')
  readRole(@Req() request: ConsoleRequest): RoleTold {
    return this.guard.tellRole(request);
  }
}
