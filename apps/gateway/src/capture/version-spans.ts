/** Tokens in a row that came while one policy version served and the engine called its weights by one name. */
export interface SeenSpan {
  /** The policy version as the gate said when they came. */
  readonly version: number;
  /** The engine's name of its weights; null where it had not said one. */
  readonly weights: string | null;
  readonly tokens: number;
}

/** Tokens in a row that one policy version made. */
export interface VersionSpan {
  readonly version: number;
  readonly tokens: number;
}

/**
 * The version that made a span. The engine's word counts only against a version whose name is known to be another one, and
 * for one that alone is called so: some engines never change the name.
 */
const versionOf = ({ version, weights }: SeenSpan, names: ReadonlyMap<number, string>): number => {
  const expected = names.get(version);
  if (expected === undefined || expected === weights) return version;
  const [called, ...others] = [...names].filter(([, name]) => name === weights).map(([each]) => each);
  return called === undefined || others.length > 0 ? version : called;
};

/**
 * Whose tokens are whose. The engine's own name of its weights counts where it tells a version: the word that a version has
 * risen reaches the gateway by another way than the tokens that it makes, and may be later.
 *
 * @param names the engine's names of policy versions, as far as they are known
 */
export const versionSpans = (seen: readonly SeenSpan[], names: ReadonlyMap<number, string>): VersionSpan[] => {
  const spans: { version: number; tokens: number }[] = [];
  for (const span of seen) {
    const version = versionOf(span, names);
    const last = spans.at(-1);
    if (last?.version === version) last.tokens += span.tokens;
    else spans.push({ version, tokens: span.tokens });
  }
  return spans;
};
