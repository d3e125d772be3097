import { crashOptions, type CrashOptions } from './options';
import { report, Run, type Result, type RunOptions, type Trouble } from './run';

const SCENARIO_MS = 1_200_000;

/** One named scenario: how it differs from the usual run, what happens while clients talk, and what must hold beside the books. */
export interface Scenario {
  readonly options?: (given: CrashOptions) => Partial<RunOptions>;
  readonly trouble: Trouble;
  readonly check?: (result: Result, run: Run) => void | Promise<void>;
}

/** Runs a scenario as a test: its seed is printed, and nothing may be wrong in the books. */
export const scenario = (name: string, { options, trouble, check }: Scenario): void => {
  it(
    name,
    async () => {
      const given = crashOptions();
      const { seed, turns, clients } = given;
      process.stdout.write(`\n${name}\n  seed ${seed} (replay: --seed ${seed}), ${turns} turns, ${clients} clients\n`);
      const usual: RunOptions = { seed, turns, clients, thinkMs: 3000, stack: { idleS: 25 } };
      const run = await Run.start({ ...usual, ...options?.(given) });
      try {
        const result = await run.finish(trouble);
        run.say(`\n${report(result)}`);
        expect(result.violations).toEqual([]);
        await check?.(result, run);
      } finally {
        await run.close();
      }
    },
    SCENARIO_MS,
  );
};
