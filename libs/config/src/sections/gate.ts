import { flag, fraction, oneOf, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

export const GATE_PAUSES = ['in_place', 'retract', 'drain'] as const;
export type GatePause = (typeof GATE_PAUSES)[number];

/** [gate]: what happens while the weights are changed. */
export class GateSettings extends SettingsSection {
  @Setting('Seconds that a request waits while the gate is closed; then it gets 503', fraction({ min: 0, max: 3600 }))
  readonly holdS: number = 45;

  @Setting('Keep waiting streams open with empty chunks, for gates that are closed for long', flag())
  readonly holdStreams: boolean = false;

  @Setting('Seconds that such a stream waits; then it gets an error event', fraction({ min: 0, max: 86_400 }))
  readonly holdMaxS: number = 900;

  @Setting(
    'What running answers do: stand in place, stand and be computed anew, or end first',
    oneOf(GATE_PAUSES, 'engines that cannot pause end their answers first'),
  )
  readonly pause: GatePause = 'in_place';

  @Setting('Seconds that running answers get to end, where they have to', fraction({ min: 0, max: 3600 }))
  readonly drainTimeoutS: number = 30;

  @Setting('Seconds that an update holds the gate if its trainer names none', whole({ min: 1, max: 3600 }))
  readonly leaseS: number = 60;

  @Setting('Seconds for an engine to read new weights from disk', fraction({ min: 0.05, max: 86_400 }))
  readonly loadTimeoutS: number = 600;
}
