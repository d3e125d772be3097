import type { Attributes } from '@app/tracing';
import type { Ending, Outcome, Turn } from './turn-messages';

/** What a turn's span says of its request. The model's name is ours: a client may write anything for it. */
export const arrivalAttributes = (turn: Turn, servedModel: string): Attributes => ({
  'gen_ai.request.model': servedModel,
  'openclaw_rl.turn.kind': turn.identity.info.kind,
  'openclaw_rl.policy.version': turn.policyVersion,
});

/** What a turn's span says of its answer. */
export const endAttributes = ({ answer, route }: Ending, { exclusion }: Outcome): Attributes => ({
  'gen_ai.usage.input_tokens': answer?.promptTokens ?? undefined,
  'gen_ai.usage.output_tokens': answer?.completionTokens ?? undefined,
  'openclaw_rl.capture.route': route,
  'openclaw_rl.turn.exclusion': exclusion ?? undefined,
});
