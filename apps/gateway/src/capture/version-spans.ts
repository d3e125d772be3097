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

/** The one version that an engine calls so; null where none is, or several are: some engines never change the name. */
const versionCalled = (name: string | null, names: ReadonlyMap<number, string>): number | null => {
  const [version, ...others] = [...names].filter(([, each]) => each === name).map(([each]) => each);
  return version === undefined || others.length > 0 ? null : version;
};

/**
 * Whose tokens are whose. The engine's own name of its weights counts where it tells a version: the word that a version has
 * risen reaches the gateway by another way than the tokens that it makes, and may be later.
 *
 * @param names the engine's names of policy versions, as far as they are known
 */
export const versionSpans = (seen: readonly SeenSpan[], names: ReadonlyMap<number, string>): VersionSpan[] => {
  const spans: { version: number; tokens: number }[] = [];
  for (const { version: said, weights, tokens } of seen) {
    const version = versionCalled(weights, names) ?? said;
    const last = spans.at(-1);
    if (last?.version === version) last.tokens += tokens;
    else spans.push({ version, tokens });
  }
  return spans;
};
