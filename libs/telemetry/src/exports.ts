import type { Metrics } from './metrics';

export type MetricKey = keyof Metrics;

/** What every app on the bus exports. */
const EVERY_APP = ['busUp', 'spansDropped'] as const satisfies readonly MetricKey[];
const EVERY_CONSUMER = [
  ...EVERY_APP,
  'handlerErrors',
  'consumerPending',
  'consumerUnsettled',
] as const satisfies readonly MetricKey[];

/** What each app exports beside its process: a metric that an app never sets would be a zero that says nothing. */
export const EXPORTS = {
  gateway: [
    ...EVERY_APP,
    'chatRequests',
    'chatInFlight',
    'firstByteSeconds',
    'chatSeconds',
    'overheadSeconds',
    'tokens',
    'captureRoute',
    'turns',
    'turnsSettled',
    'prompts',
    'captureDropped',
    'captureBufferBytes',
    'engineInRotation',
    'engineCondition',
    'engineEjections',
    'gateClosed',
    'gateHeldSeconds',
    'newWeightsSeconds',
    'policyVersion',
  ],
  'session-tracker': [...EVERY_CONSUMER, 'turnsFollowed', 'turnsSettled', 'sessionsOpen', 'sessionsEnded', 'feedback'],
  'prm-judge': [
    ...EVERY_CONSUMER,
    'votes',
    'voteSeconds',
    'turnsJudged',
    'turnsDisputed',
    'turnsSettled',
    'breakerOpen',
    'engineInRotation',
    'engineCondition',
    'engineEjections',
  ],
  'opd-teacher': [
    ...EVERY_CONSUMER,
    'votes',
    'voteSeconds',
    'turnsHinted',
    'teacherSeconds',
    'teacherBreakerOpen',
    'turnsSettled',
    'breakerOpen',
    'engineInRotation',
    'engineCondition',
    'engineEjections',
  ],
  'sample-submitter': [
    ...EVERY_CONSUMER,
    'turnsSettled',
    'samples',
    'feedback',
    'samplesWaiting',
    'samplesLeased',
    'samplesAcknowledged',
    'samplesStale',
    'policyVersion',
    'policyUpdates',
    'gateClosedSeconds',
    'leases',
    'records',
    'storeBytes',
    'storeLimitBytes',
  ],
  trainer: ['spansDropped', 'trainingRounds', 'trainingNumbers'],
  'pocket-engine': ['pocketTokens', 'pocketAnswers'],
} as const satisfies Record<string, readonly MetricKey[]>;

/** An app, by the name of its folder. */
export type AppName = keyof typeof EXPORTS;
