import { Injectable } from '@nestjs/common';
import { Telemetry } from '@app/telemetry';
import { Sweeper } from './sweeper';

/** Shows how many sessions are open. Every replica looks at all of them, so each shows the same. */
@Injectable()
export class OpenSessions {
  constructor(sweeper: Sweeper, telemetry: Telemetry) {
    telemetry.readBeforeExport(() => {
      telemetry.metrics.sessionsOpen.set(sweeper.openSessions);
    });
  }
}
