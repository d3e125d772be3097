import {
  EngineError,
  EngineTimeoutError,
  EngineUnreachableError,
  openEngineControl,
  type EngineControl,
  type NewWeights,
  type StandMode,
} from '@app/engines';

const isGone = (error: unknown): boolean =>
  error instanceof EngineUnreachableError || error instanceof EngineTimeoutError;

const unless =
  (isExpected: (error: unknown) => boolean) =>
  async <Result>(call: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await call();
    } catch (error) {
      if (isExpected(error)) return null;
      throw error;
    }
  };

const unlessGone = unless(isGone);
const unlessFailed = unless((error) => error instanceof EngineError);

/** An engine of the policy, as it was found. */
interface Found {
  readonly url: string;
  /** null: it could not be reached, or refused us. */
  readonly control: EngineControl | null;
  readonly refusal: EngineError | null;
}

/** The weights that an engine says it serves. */
export interface ServedWeights {
  readonly url: string;
  readonly reachable: boolean;
  /** The engine's own name of its weights; null where it has none to tell. */
  readonly version: string | null;
}

/** The policy's engines, asked together. One that is gone holds up none of the others; one that refuses throws its EngineError. */
export class PolicyEngines {
  private constructor(private readonly found: readonly Found[]) {}

  static async open(urls: readonly string[], apiKey: string | null): Promise<PolicyEngines> {
    const open = async (url: string): Promise<Found> => {
      try {
        return { url, control: await openEngineControl({ baseUrl: url, apiKey }), refusal: null };
      } catch (error) {
        if (error instanceof EngineError) return { url, control: null, refusal: isGone(error) ? null : error };
        throw error;
      }
    };
    return new PolicyEngines(await Promise.all(urls.map(open)));
  }

  /** @throws EngineError if some engine does not let us in: what it does could not be told. */
  requireAccess(): void {
    for (const { refusal } of this.found) if (refusal !== null) throw refusal;
  }

  get reachable(): number {
    return this.controls.length;
  }

  /** Lets the running answers of every engine stand. false: some engine cannot, and all go on. */
  async stand(mode: StandMode): Promise<boolean> {
    const standing = await Promise.all(this.controls.map((control) => unlessGone(() => control.stand(mode))));
    if (!standing.includes(false)) return true;
    await this.resume();
    return false;
  }

  async stop(): Promise<void> {
    await Promise.all(this.controls.map((control) => unlessGone(() => control.stop())));
  }

  /** Lets every engine go on. false: one of them may still stand, and has to be told again. */
  async resume(): Promise<boolean> {
    const resumed = await Promise.all(
      this.controls.map((control) => unlessFailed(() => control.resume().then(() => true))),
    );
    return !resumed.includes(null);
  }

  /** Loads weights into every engine. Resolves with the failures. */
  async load(weights: NewWeights): Promise<EngineError[]> {
    const results = await Promise.allSettled(this.controls.map((control) => control.load(weights)));
    return results.flatMap((result) => {
      if (result.status === 'fulfilled') return [];
      if (result.reason instanceof EngineError) return [result.reason];
      throw result.reason;
    });
  }

  /** What each engine serves at the moment. */
  readVersions(): Promise<ServedWeights[]> {
    return Promise.all(
      this.found.map(async ({ url, control }) => {
        const version =
          control === null ? null : await unlessFailed(async () => ({ name: await control.readVersion() }));
        return { url, reachable: version !== null, version: version?.name ?? null };
      }),
    );
  }

  private get controls(): EngineControl[] {
    return this.found.flatMap(({ control }) => (control === null ? [] : [control]));
  }
}

/** The one name that all engines which can be reached give their weights; null where they differ, or have none. */
export const agreedVersion = (served: readonly ServedWeights[]): string | null => {
  const names = new Set(served.filter(({ reachable }) => reachable).map(({ version }) => version));
  const [only] = names;
  return names.size === 1 ? (only ?? null) : null;
};
