import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { describeConversation } from '@app/chat';
import { Settings } from '@app/config';
import type { CaptureRoute, Exclusion, Sampling } from '@app/contracts';
import { PolicyWatch } from '@app/pools';
import { errorName, Telemetry, TurnLine } from '@app/telemetry';
import { identify } from '../chat/identify';
import type { ChatRequest } from '../chat/parse-request';
import { samplingOf } from '../chat/upstream-request';
import type { RecordedAnswer } from './answer-recorder';
import { judgeCapture, type CaptureVerdict } from './judge-capture';
import { Outbox } from './outbox';
import { arrivedParcel, completedParcels, isSettledHere, outcomeOf, type Ending, type Turn } from './turn-messages';
import { arrivalAttributes, endAttributes } from './turn-attributes';
import { versionSpans } from './version-spans';

/** What a request brings that is recorded. */
export interface Arrival {
  readonly request: ChatRequest;
  readonly headers: IncomingHttpHeaders;
  readonly scope: string;
  /** Sampling where the request names none, as the engine takes it. */
  readonly samplingDefaults: Sampling;
}

/** How serving it ended, by which route. `failure`: the upstream never gave an answer. */
export type ServedResult = { readonly route: CaptureRoute } & (
  | {
      readonly answer: RecordedAnswer;
      readonly delivered: boolean;
      /** Whether the engine's log-probs are taken after the sampling temperature; null while that is not known. */
      readonly logProbsTempered: boolean | null;
      /** Whether the engine was seen to serve other weights than the policy's when this began, or ended. */
      readonly isStale?: boolean;
    }
  | { readonly answer: null; readonly failure: string }
);

/** No answer lives through more updates. */
const VERSIONS_KNOWN = 64;

/** No answer came: the upstream failed, or the client did not wait for it. */
const unanswered = (failure: string): CaptureVerdict => ({
  kind: 'excluded',
  reason: failure === 'client_gone' ? 'undelivered' : 'upstream_error',
  detail: failure,
});

const incomplete = (detail: string): CaptureVerdict => ({ kind: 'excluded', reason: 'incomplete', detail });

/** What the request itself rules out comes before what the engine did not give. */
const verdictOn = ({ request, isVersionKnown }: Turn, result: ServedResult): CaptureVerdict => {
  if (result.answer === null) return unanswered(result.failure);
  const verdict = judgeCapture(result.answer);
  if (verdict.kind === 'excluded' && verdict.reason === 'upstream_error') return verdict;
  if (request.choices !== 1) return incomplete('several_choices');
  if (request.isConstrained) return incomplete('constrained_sampling');
  if (verdict.kind === 'exact' && !isVersionKnown) return incomplete('policy_version_unknown');
  return verdict;
};

/** Whether some of an answer's weights, by the engine's own names, are none of those that have served during the turn. */
const areOthers = (weights: readonly string[], served: readonly (string | undefined)[]): boolean =>
  !served.includes(undefined) && weights.some((name) => !served.includes(name));

const temperedIn = ({ sampling }: Turn, result: ServedResult): boolean | null => {
  if (sampling.temperature === 1) return false;
  return result.answer === null ? null : result.logProbsTempered;
};

/** Records turns on the side of serving. Nothing it does can fail a chat: what goes wrong here is counted and logged. */
@Injectable()
export class TurnRecorder {
  private readonly logger = new Logger('capture');
  /** The engines' names of the last policy versions' weights; some are learnt after their first turns. */
  private readonly engineVersions = new Map<number, string>();

  constructor(
    private readonly outbox: Outbox,
    private readonly policy: PolicyWatch,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {
    policy.onChange(({ version, engineVersion }) => {
      if (engineVersion !== undefined) this.engineVersions.set(version, engineVersion);
      this.engineVersions.delete(version - VERSIONS_KNOWN);
    });
  }

  /** Publishes `turn.arrived`. null: this turn is served and not recorded. */
  begin(id: string, arrival: Arrival): Turn | null {
    return this.guard(id, () => {
      const { request, headers, scope, samplingDefaults } = arrival;
      const { settings } = this;
      const { heartbeatPrompts } = settings.session;
      const conversation = describeConversation(request.messages, scope, heartbeatPrompts);
      const turn: Turn = {
        id,
        request,
        conversation,
        identity: identify(headers, request, conversation, { scope, heartbeatPrompts }),
        model: settings.server.policyModel ?? request.model ?? settings.server.servedModelName,
        sampling: samplingOf(request, samplingDefaults),
        arrivedAt: Date.now(),
        policyVersion: this.policy.current.version,
        isVersionKnown: this.policy.isKnown,
      };
      this.telemetry.tracer.note(arrivalAttributes(turn, settings.server.servedModelName));
      this.outbox.push(arrivedParcel(turn));
      return turn;
    });
  }

  /** Publishes `turn.completed`, and the turn's outcome where it is known already. */
  finish(turn: Turn | null, result: ServedResult): void {
    if (turn === null) return;
    this.guard(turn.id, () => {
      const { telemetry } = this;
      const verdict = this.verdictOn(turn, result);
      const ending: Ending = {
        completedAt: Date.now(),
        policyVersion: this.policy.current.version,
        engineVersions: {
          start: this.engineVersions.get(turn.policyVersion) ?? null,
          end: this.engineVersions.get(this.policy.current.version) ?? null,
        },
        versionSpans: versionSpans(result.answer?.spans ?? [], this.engineVersions),
        delivered: result.answer !== null && result.delivered,
        answer: result.answer,
        verdict,
        route: result.route,
        logProbsTempered: temperedIn(turn, result),
      };
      const outcome = outcomeOf(turn, ending);
      telemetry.tracer.note(endAttributes(ending, outcome));
      telemetry.metrics.tokens.inc({ kind: 'prompt' }, result.answer?.promptTokens ?? 0);
      telemetry.metrics.tokens.inc({ kind: 'completion' }, result.answer?.completionTokens ?? 0);
      const onStored = this.counterOf(turn.identity.info.kind, ending.route);
      for (const parcel of completedParcels(turn, ending, outcome, onStored)) this.outbox.push(parcel);
      return null;
    });
  }

  /** Counts a turn once it is stored; knows no more of it, since that may take long. */
  private counterOf(
    kind: Turn['identity']['info']['kind'],
    route: CaptureRoute,
  ): (exclusion: Exclusion | null) => void {
    const { turns, turnsSettled } = this.telemetry.metrics;
    return (exclusion) => {
      turns.inc({ kind, route, exclusion: exclusion ?? 'none' });
      if (isSettledHere(exclusion)) turnsSettled.inc({ outcome: exclusion });
    };
  }

  private verdictOn(turn: Turn, result: ServedResult): CaptureVerdict {
    const verdict = verdictOn(turn, result);
    if (verdict.kind !== 'exact' || result.answer === null) return verdict;
    const { weightVersions } = result.answer;
    // SGLang's streamed chats name no weights: then it counts what the engine itself was seen to say of them.
    if (weightVersions.length === 0) return result.isStale === true ? incomplete('other_weights') : verdict;
    const { version } = this.policy.current;
    const served = Array.from({ length: version - turn.policyVersion + 1 }, (_, i) => turn.policyVersion + i);
    const names = served.map((each) => this.engineVersions.get(each));
    // As of an engine that was started again with old weights: the turn's version is not what made it.
    return areOthers(weightVersions, names) ? incomplete('other_weights') : verdict;
  }

  private guard<Result>(turnId: string, work: () => Result | null): Result | null {
    try {
      return work();
    } catch (error) {
      this.telemetry.metrics.captureDropped.inc({ cause: 'error' });
      this.logger.error(new TurnLine(turnId, `served but not recorded: ${errorName(error)}`));
      return null;
    }
  }
}
