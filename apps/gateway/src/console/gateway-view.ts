import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import type { GatewayNow } from '@app/contracts';
import { Gate } from '../gate/gate';
import { UpstreamService } from '../upstream/upstream.service';
import { gatewayProblems } from './gateway-problems';

/** This gateway as it is now; asks nobody. */
@Injectable()
export class GatewayView {
  constructor(
    private readonly bus: Bus,
    private readonly gate: Gate,
    private readonly upstream: UpstreamService,
  ) {}

  read(): GatewayNow {
    const { states: engines, route, routeReason } = this.upstream;
    return {
      running: this.gate.running,
      held: this.gate.held,
      problems: gatewayProblems({ busIsUp: this.bus.isUp, engines, route, routeReason }),
    };
  }
}
