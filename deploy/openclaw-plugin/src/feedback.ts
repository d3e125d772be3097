import type { Gateway, Rated } from './gateway';
import type { PluginApi } from './host';
import { parseRating, USAGE } from './rating';
import { REMINDER, Reminder, remindEvery } from './reminder';
import type { SessionNames } from './session-names';
import { turnTypeOf } from './turn-types';

/** Reasons for which a conversation is over. One that is compacted, or whose host stops or starts again, goes on. */
const OVER = new Set(['new', 'reset', 'idle', 'daily', 'deleted']);

/** What a person hears who has rated an answer. */
const replyTo = (rated: Rated): string => {
  switch (rated.fate) {
    case 'counts':
      return 'Thank you, noted.';
    case 'kept':
      return `Thank you. It is kept, and the model does not learn from it: ${rated.reason}.`;
    case 'refused':
      return `Not noted: ${rated.reason}.`;
  }
};

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
      return { text: replyTo(await gateway.rate(names.nameOf(sessionId), feedback)) };
    },
  });
  const reminder = new Reminder(remindEvery(api.pluginConfig?.remindEvery));
  api.on('before_prompt_build', (_, context) => {
    // Nobody reads the answer to a heartbeat or a schedule as one of the conversation.
    if (turnTypeOf(context) !== 'side') reminder.begin(context.runId);
  });
  api.on('reply_payload_sending', ({ payload, kind, sessionKey = '', runId, usageState }) => {
    const { text } = payload;
    if (kind !== 'final' || text === undefined || text.trim() === '') return undefined;
    const isDue = reminder.isDue({ conversation: sessionKey, runId, isByModel: usageState !== undefined });
    return isDue ? { payload: { ...payload, text: `${text}\n\n${REMINDER}` } } : undefined;
  });
};
