import { TurnArrived, TurnCompleted, TurnFollowed, TurnJudged, TurnSettled } from '@app/contracts';
import type { Bus } from '@app/bus';

/** Everything that is stored about a turn, one line a message: what a person reads to find out what went wrong. */
export const traceTurn = async (bus: Bus, turnId: string): Promise<string[]> => {
  const lines: string[] = [];
  const { jsm } = bus.connection.current();
  for (const message of [TurnArrived, TurnCompleted, TurnFollowed, TurnJudged, TurnSettled]) {
    const stored = await jsm.direct.getMessage(message.stream, { last_by_subj: message.subject(turnId) });
    const info = stored?.header.get('rl-info') ?? 'nothing';
    lines.push(`  ${stored?.time.toISOString().slice(11, 23) ?? ''.padEnd(12)} ${message.name} ${info}`);
  }
  const kv = await jsm.streams.getMessage('KV_rl-sessions', { last_by_subj: `$KV.rl-sessions.turn.${turnId}` });
  lines.push(`  place ${kv?.string() ?? 'nothing'}`);
  return lines;
};
