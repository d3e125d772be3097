/** What `npm run test:crash` was asked for; it hands its options on by the environment. */
export interface CrashOptions {
  readonly seed: number;
  readonly turns: number;
  readonly clients: number;
  /** Kills of each service and of NATS. */
  readonly kills: number;
  /** Length of an outage of NATS or of the judge, in seconds. */
  readonly awayS: number;
}

const whole = (name: string, otherwise: number): number => {
  const text = process.env[name];
  return text === undefined || text === '' ? otherwise : Number(text);
};

export const crashOptions = (): CrashOptions => ({
  seed: whole('CRASH_SEED', Math.floor(Math.random() * 2 ** 31)),
  turns: whole('CRASH_TURNS', 200),
  clients: whole('CRASH_CLIENTS', 8),
  kills: whole('CRASH_KILLS', 5),
  awayS: whole('CRASH_AWAY_S', 60),
});
