import { randomUUID } from 'node:crypto';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { TURN_ID } from './attributes';
import { turnSpanIds } from './turn-ids';
import { TurnSampler } from './turn-sampler';

const OTHER = 'ffffffffffffffffffffffffffffffff';

describe('TurnSampler', () => {
  const decision = (ratio: number, traceId: string, turnId?: string) => {
    const sampler = new TurnSampler(new TraceIdRatioBasedSampler(ratio));
    const attributes = turnId === undefined ? {} : { [TURN_ID]: turnId };
    return sampler.shouldSample(ROOT_CONTEXT, traceId, 'span', SpanKind.INTERNAL, attributes, []).decision;
  };

  it('decides over every tree of a turn as over that in which it was served', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), fc.double({ min: 0, max: 1, noNaN: true }), (turnId, ratio) => {
        const served = decision(ratio, turnSpanIds(turnId)!.traceId, turnId);
        expect(decision(ratio, OTHER, turnId)).toBe(served);
      }),
    );
  });

  it('keeps its share of the turns', () => {
    const turns = Array.from({ length: 4000 }, () => randomUUID());
    const kept = turns.filter((turnId) => decision(0.25, OTHER, turnId) === SamplingDecision.RECORD_AND_SAMPLED);
    expect(kept.length / turns.length).toBeGreaterThan(0.2);
    expect(kept.length / turns.length).toBeLessThan(0.3);
  });

  it('decides by the trace’s id over what is about no turn, or about one that no gateway has named', () => {
    for (const turnId of [undefined, 't-1']) {
      expect(decision(0.5, '00000000000000000000000000000001', turnId)).toBe(SamplingDecision.RECORD_AND_SAMPLED);
      expect(decision(0.5, '000000000000000000000000ffffffff', turnId)).toBe(SamplingDecision.NOT_RECORD);
    }
  });
});
