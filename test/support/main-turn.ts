import type { TurnInfo } from '@app/contracts';

/** What messages say of a turn of the conversation itself. */
export const mainTurn = (turnId: string, more: Partial<TurnInfo> = {}) => ({
  turnId,
  scope: 'scope',
  arrivedAt: Date.now(),
  kind: 'main' as const,
  client: 'client',
  hasTools: true,
  sessionDone: false,
  policyVersion: 0,
  ...more,
});
