import type { AppName } from './exports';
import type { Metrics } from './metrics';

type Zeros = { readonly [Key in keyof Metrics]?: readonly Readonly<Record<string, string>>[] };

const CONSUMER: Zeros = { turnsSettled: [{ outcome: 'dead_letter' }] };

/**
 * Series that each app has from its start, at zero. Prometheus sees an increase only from a value that came before: without them
 * the first event of a kind after a start, which is the one that an alert is for, would be no increase.
 */
const ZEROS: Record<AppName, Zeros> = {
  gateway: {
    chatRequests: [
      { status: '200', stream: 'false' },
      { status: '200', stream: 'true' },
      { status: '503', stream: 'none' },
    ],
    captureDropped: [{ cause: 'buffer_full' }, { cause: 'refused' }, { cause: 'error' }],
  },
  'session-tracker': CONSUMER,
  'prm-judge': { ...CONSUMER, turnsJudged: [{ score: '1' }, { score: '-1' }, { score: '0' }, { score: 'none' }] },
  'opd-teacher': { ...CONSUMER, turnsHinted: [{ result: 'hinted' }, { result: 'no_hint' }] },
  'sample-submitter': {
    turnsSettled: [{ outcome: 'sample' }, { outcome: 'dead_letter' }],
    policyUpdates: [{ outcome: 'committed' }, { outcome: 'recovered' }, { outcome: 'aborted' }, { outcome: 'expired' }],
  },
  trainer: { trainingRounds: [{ outcome: 'trained' }, { outcome: 'failed' }] },
  'pocket-engine': {},
};

interface Countable {
  inc(labels: Readonly<Record<string, string>>, by: number): void;
}

/** Makes the series of an app that are not there yet. */
export const addZeros = (app: AppName, metrics: Metrics): void => {
  for (const [key, all] of Object.entries(ZEROS[app])) {
    // Each key names a counter with labels: nothing else has a zero of several series.
    for (const labels of all) (metrics[key as keyof Metrics] as Countable).inc(labels, 0);
  }
};
