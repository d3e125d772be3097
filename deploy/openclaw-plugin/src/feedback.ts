import type { Gateway } from './gateway';
import type { PluginApi } from './host';
import { parseRating, USAGE } from './rating';
import { REMINDER, Reminder, remindEvery } from './reminder';
import type { SessionNames } from './session-names';

/** Reasons for which a conversation is over. One that is compacted, or whose host stops or starts again, goes on. */
const OVER = new Set(['new', 'reset', 'idle', 'daily', 'deleted']);

/** Tells the gateway of sessions that end, takes ratings, and reminds people of them. */
export const registerFeedback = (api: PluginApi, gateway: Gateway, names: SessionNames): void => {
  api.on('session_end', async ({ sessionId, reason = 'unknown', nextSessionId }) => {
    if (reason === 'compaction' && nextSessionId !== undefined) names.goesOnAs(sessionId, nextSessionId);
    if (OVER.has(reason)) await gateway.endSession(names.nameOf(sessionId));
  });
  api.registerCommand({
    name: 'rate',
    description: 'Rate the last answer: good, bad or neutral, and why',
    acceptsArgs: true,
    handler: async ({ sessionId, args = '' }) => {
      const feedback = parseRating(args);
      if (feedback === null || sessionId === undefined) return { text: USAGE };
      const problem = await gateway.rate(names.nameOf(sessionId), feedback);
      return { text: problem === null ? 'Thank you, noted.' : `Not noted: ${problem}.` };
    },
  });
  const reminder = new Reminder(remindEvery(api.pluginConfig?.remindEvery));
  api.on('reply_payload_sending', ({ payload, kind, sessionKey }) => {
    const { text } = payload;
    if (kind !== 'final' || text === undefined || text.trim() === '') return undefined;
    return reminder.isDue(sessionKey ?? '') ? { payload: { ...payload, text: `${text}\n\n${REMINDER}` } } : undefined;
  });
};
