import type { TurnCompletedBody, TurnTokens } from '@app/contracts';
import { sampleAdvantages, type Sample } from '@app/sample';

type Versions = TurnCompletedBody['head']['policyVersion'];

/** Policy version of each of `length` tokens: by the spans where they are known, else the one that began the answer. */
export const versionsOf = ({ start, spans = [] }: Versions, length: number): number[] => {
  const versions = spans.flatMap(({ version, tokens }) => new Array<number>(tokens).fill(version));
  return Array.from({ length }, (_, i) => versions[i] ?? versions.at(-1) ?? start);
};

export interface TokenSources {
  readonly ids: Int32Array;
  readonly logProbs: Float64Array;
  /** null: the teacher has not scored it. */
  readonly teacherLogProbs: Float64Array | null;
  readonly versions: Versions;
  /** null: the turn has made none. */
  readonly sample: Sample | null;
}

/** Six digits: what a log-prob is known to, and a third of the bytes. */
const shorten = (values: Float64Array): number[] => Array.from(values, (value) => Number(value.toPrecision(6)));

/** The answer token by token. `textsOf` is asked only where the reader may have text. */
export const describeTokens = (
  sources: TokenSources,
  textsOf: ((ids: readonly number[]) => string[] | null) | null,
): TurnTokens => {
  const { logProbs, teacherLogProbs, versions, sample } = sources;
  const ids = Array.from(sources.ids);
  const teacher = sample?.teacher_log_probs ?? teacherLogProbs;
  return {
    ids: textsOf === null ? null : ids,
    texts: textsOf === null ? null : textsOf(ids),
    logProbs: shorten(logProbs),
    teacherLogProbs: teacher?.length === ids.length ? shorten(teacher) : null,
    advantages: sample === null ? null : shorten(sampleAdvantages(sample)),
    mask: sample === null ? null : Array.from(sample.loss_mask),
    versions: versionsOf(versions, ids.length),
  };
};
