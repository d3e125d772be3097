import { Injectable } from '@nestjs/common';
import type { Delivery } from '@app/bus';
import { TurnHinted, TurnJudged } from '@app/contracts';
import { Settler } from './settler';
import { SettlingService } from './settling.service';
import { TurnFindings } from './turn-findings';

/** Handles what judge and teacher have found out: whichever half comes last has its turn settled. */
@Injectable()
export class HalvesHandler {
  constructor(
    private readonly findings: TurnFindings,
    private readonly settling: SettlingService,
    private readonly settler: Settler,
  ) {}

  async judged(delivery: Delivery): Promise<void> {
    const judged = TurnJudged.decode(delivery);
    const { turnId } = judged.info;
    const known = await this.findings.join(turnId, judged, await this.findings.readHinted(turnId));
    if (known !== null) await this.settling.settle(turnId, known);
  }

  async hinted(delivery: Delivery): Promise<void> {
    const hinted = TurnHinted.decode(delivery);
    const { turnId } = hinted.info;
    const known = await this.findings.join(turnId, await this.findings.readJudged(turnId), hinted);
    if (known !== null) await this.settling.settle(turnId, known);
  }

  async settleDead({ subject }: Delivery): Promise<void> {
    await this.settler.settleDead(subject.split('.').at(-1) ?? '');
  }
}
