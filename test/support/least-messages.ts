// Messages without any field that may be left out: as the first version of this project sent them.
import { TurnArrived, TurnCompleted, TurnJudged } from '@app/contracts';
import { mainTurn } from './main-turn';

/** `turn.arrived`. */
export const arrived = (turnId: string, more: object = {}, nextState: { role: string; content: string }[] = []) =>
  TurnArrived.encode([turnId], { ...mainTurn(turnId), ...more }, { nextState });

/** `turn.completed`. */
export const completed = (turnId: string, more: object = {}) =>
  TurnCompleted.encode(
    [turnId],
    { ...mainTurn(turnId), completedAt: Date.now(), ...more },
    {
      sessionId: null,
      model: 'm',
      messages: [{ role: 'user', content: 'q' }],
      response: { role: 'assistant', content: 'a' },
      finishReason: 'stop',
      sampling: { temperature: 1, topP: null, topK: null },
      logProbsTempered: null,
      route: 'sglext',
      weightVersions: [],
      policyVersion: { start: 0, end: 0 },
    },
    { arrays: { promptIds: Int32Array.of(1, 2), responseIds: Int32Array.of(3), logProbs: Float64Array.of(-0.5) } },
  );

/** `turn.judged`, with a good score. */
export const judged = (turnId: string) =>
  TurnJudged.encode(
    [turnId],
    { turnId, session: 's', score: 1, judgedAt: 1 },
    { judgeModel: 'j', votes: [{ score: 1, text: '', millis: 1 }] },
  );
