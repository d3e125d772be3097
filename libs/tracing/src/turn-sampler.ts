import type { Attributes, Context, Link, SpanKind } from '@opentelemetry/api';
import type { Sampler, SamplingResult } from '@opentelemetry/sdk-trace';
import { TURN_ID } from './attributes';
import { turnSpanIds } from './turn-ids';

/** Decides over a tree by the turn that it is about, so that a turn's trees are kept or left together, whichever service begins them. */
export class TurnSampler implements Sampler {
  constructor(private readonly byTraceId: Sampler) {}

  shouldSample(
    ...[context, traceId, name, kind, attributes, links]: [Context, string, string, SpanKind, Attributes, Link[]]
  ): SamplingResult {
    const turnId = attributes[TURN_ID];
    const turn = typeof turnId === 'string' ? turnSpanIds(turnId) : null;
    return this.byTraceId.shouldSample(context, turn?.traceId ?? traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `Turn{${this.byTraceId.toString()}}`;
  }
}
