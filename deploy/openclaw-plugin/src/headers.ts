import { PROVIDER_ID, type PluginApi, type StreamFn } from './host';
import type { SessionNames } from './session-names';
import { TurnTypes } from './turn-types';

const SIDE = { 'X-Turn-Type': 'side' } as const;

/** A call without tools is a title, a summary, a name: never an answer in the conversation, whatever its run was begun for. */
const sideWithoutTools =
  (inner: StreamFn): StreamFn =>
  (model, context, options) =>
    inner(
      model,
      context,
      (context.tools ?? []).length > 0 ? options : { ...options, headers: { ...options?.headers, ...SIDE } },
    );

const side =
  (inner: StreamFn): StreamFn =>
  (model, context, options) =>
    inner(model, context, { ...options, headers: { ...options?.headers, ...SIDE } });

/** Has every model call say its session, and whether it is a turn of the conversation. */
export const registerHeaders = (api: PluginApi, names: SessionNames): void => {
  const types = new TurnTypes();
  api.on('before_prompt_build', (_, context) => {
    types.begin(context);
  });
  api.on('before_compaction', (_, context) => {
    types.beginCompaction(context);
  });
  api.on('after_compaction', (_, context) => {
    types.endCompaction(context);
  });
  api.registerProvider({
    id: PROVIDER_ID,
    label: 'OpenClaw-RL',
    auth: [],
    resolveTransportTurnState: ({ sessionId }) => {
      if (sessionId === undefined) return { headers: {} };
      const type = types.of(sessionId);
      return {
        headers: { 'X-Session-Id': names.nameOf(sessionId), ...(type === null ? {} : { 'X-Turn-Type': type }) },
      };
    },
    wrapStreamFn: ({ streamFn }) => streamFn && sideWithoutTools(streamFn),
    wrapSimpleCompletionStreamFn: ({ streamFn }) => streamFn && side(streamFn),
  });
};
