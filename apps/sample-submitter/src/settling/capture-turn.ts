import type { FrameArrays, TurnCompletedBody, TurnCompletedInfo } from '@app/contracts';
import { SampleInvariantError, type CapturedTurn } from '@app/sample';

/** A turn as it was stored, and the session that it was found to belong to. */
export interface StoredTurn {
  readonly session: string;
  readonly info: TurnCompletedInfo;
  readonly body: TurnCompletedBody;
}

const integers = (arrays: FrameArrays, name: string): Int32Array => {
  const values = arrays[name];
  if (values instanceof Int32Array) return values;
  throw new SampleInvariantError(name, values === undefined ? 'are missing' : 'must be 32-bit integers');
};

const floats = (arrays: FrameArrays, name: string): Float64Array => {
  const values = arrays[name];
  if (values instanceof Float64Array) return values;
  throw new SampleInvariantError(name, values === undefined ? 'are missing' : 'must be floating-point numbers');
};

/** The answer's plain text; empty for an answer of tool calls alone. */
export const responseText = (response: Readonly<Record<string, unknown>> | null): string =>
  typeof response?.content === 'string' ? response.content : '';

/**
 * A stored turn in the words of the sample builder. The prompt's text stays where it is stored: its ids are what is trained on.
 * @throws SampleInvariantError where ids or log-probs are missing.
 */
export const captureTurn = ({ session, info, body: { head, arrays } }: StoredTurn): CapturedTurn => ({
  turnId: info.turnId,
  sessionKey: session,
  promptIds: integers(arrays, 'promptIds'),
  responseIds: integers(arrays, 'responseIds'),
  logProbs: floats(arrays, 'logProbs'),
  finishReason: head.finishReason ?? 'none',
  responseText: responseText(head.response),
  weightVersions: head.weightVersions,
  policyVersion: head.policyVersion,
  sampling: { temperature: head.sampling.temperature, top_p: head.sampling.topP, top_k: head.sampling.topK },
  logProbsTempered: head.logProbsTempered,
  route: head.route,
});
