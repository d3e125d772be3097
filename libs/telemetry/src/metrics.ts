import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds, from a cache hit to a long generation. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Seconds of our own work, from a short request to a history of megabytes. */
const OWN_WORK_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** Every metric of every app, defined once. Labels have few values: no ids, no text. */
const createMetrics = (registry: Registry) => {
  const registers = [registry];
  return {
    chatRequests: new Counter({
      name: 'openclaw_rl_chat_requests_total',
      help: 'Chat requests by HTTP status and whether they were streamed',
      labelNames: ['status', 'stream'] as const,
      registers,
    }),
    chatInFlight: new Gauge({ name: 'openclaw_rl_chat_in_flight', help: 'Chat requests being served', registers }),
    firstByteSeconds: new Histogram({
      name: 'openclaw_rl_first_byte_seconds',
      help: 'Time from a chat request to the first byte of its answer',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    chatSeconds: new Histogram({
      name: 'openclaw_rl_chat_seconds',
      help: 'Time from a chat request to the end of its answer',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    overheadSeconds: new Histogram({
      name: 'openclaw_rl_gateway_overhead_seconds',
      help: 'Time that the gateway itself takes over a chat request before it asks the model',
      buckets: OWN_WORK_BUCKETS,
      registers,
    }),
    tokens: new Counter({
      name: 'openclaw_rl_tokens_total',
      help: 'Tokens of served chats as the engine counts them: of prompts, of completions',
      labelNames: ['kind'] as const,
      registers,
    }),
    turns: new Counter({
      name: 'openclaw_rl_turns_total',
      help: 'Turns stored, by kind, capture route and exclusion (none: can be trained on)',
      labelNames: ['kind', 'route', 'exclusion'] as const,
      registers,
    }),
    captureRoute: new Gauge({
      name: 'openclaw_rl_capture_route',
      help: '1 for the way in which token ids are captured now',
      labelNames: ['route'] as const,
      registers,
    }),
    prompts: new Counter({
      name: 'openclaw_rl_prompts_total',
      help: 'Prompts rendered here, by how each stands to the turn before (by_chat, failed: not rendered)',
      labelNames: ['drift'] as const,
      registers,
    }),
    captureDropped: new Counter({
      name: 'openclaw_rl_capture_dropped_total',
      help: 'Messages that the gateway could not keep, by cause',
      labelNames: ['cause'] as const,
      registers,
    }),
    spansDropped: new Counter({
      name: 'openclaw_rl_spans_dropped_total',
      help: 'Spans that no collector got, by cause: too many waited, or they could not be sent',
      labelNames: ['cause'] as const,
      registers,
    }),
    captureBufferBytes: new Gauge({
      name: 'openclaw_rl_capture_buffer_bytes',
      help: 'Captured bytes that wait for the bus',
      registers,
    }),
    engineInRotation: new Gauge({
      name: 'openclaw_rl_engine_in_rotation',
      help: '1 for an engine of a pool that gets requests',
      labelNames: ['pool', 'engine'] as const,
      registers,
    }),
    engineCondition: new Gauge({
      name: 'openclaw_rl_engine_condition',
      help: "1 for an engine's condition: ok; sick: it fails again and again; stale: it serves other weights than the gate has",
      labelNames: ['pool', 'engine', 'condition'] as const,
      registers,
    }),
    engineEjections: new Counter({
      name: 'openclaw_rl_engine_ejections_total',
      help: 'Times that an engine came to get no requests, by its condition',
      labelNames: ['pool', 'engine', 'condition'] as const,
      registers,
    }),
    gateClosed: new Gauge({ name: 'openclaw_rl_gate_closed', help: '1 while the update gate is closed', registers }),
    gateHeldSeconds: new Histogram({
      name: 'openclaw_rl_gate_held_seconds',
      help: 'Time that a request waited for the update gate, by outcome: served, refused, gone',
      labelNames: ['outcome'] as const,
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    gateClosedSeconds: new Histogram({
      name: 'openclaw_rl_gate_closed_seconds',
      help: 'Time of a weight update, from its begin to the open gate',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    newWeightsSeconds: new Histogram({
      name: 'openclaw_rl_new_weights_seconds',
      help: 'Time from a new policy version to the first piece of an answer that follows',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    policyUpdates: new Counter({
      name: 'openclaw_rl_policy_updates_total',
      help: 'Weight updates by how they ended: committed, recovered, aborted, expired',
      labelNames: ['outcome'] as const,
      registers,
    }),
    policyVersion: new Gauge({ name: 'openclaw_rl_policy_version', help: 'Weight updates so far', registers }),
    turnsFollowed: new Counter({
      name: 'openclaw_rl_turns_followed_total',
      help: 'Turns whose next state was found, by who speaks in it',
      labelNames: ['role'] as const,
      registers,
    }),
    sessionsOpen: new Gauge({
      name: 'openclaw_rl_sessions_open',
      help: 'Sessions that have not ended, as the last look at all of them found',
      registers,
    }),
    sessionsEnded: new Counter({
      name: 'openclaw_rl_sessions_ended_total',
      help: 'Ends of sessions by cause',
      labelNames: ['cause'] as const,
      registers,
    }),
    votes: new Counter({
      name: 'openclaw_rl_votes_total',
      help: 'Votes of the judge by result: a score, hint or no_hint, invalid (in a wrong form), or failed (no answer)',
      labelNames: ['result'] as const,
      registers,
    }),
    voteSeconds: new Histogram({
      name: 'openclaw_rl_vote_seconds',
      help: 'Time of one vote, retries included',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    turnsJudged: new Counter({
      name: 'openclaw_rl_turns_judged_total',
      help: 'Judged turns by score; none: not judged',
      labelNames: ['score'] as const,
      registers,
    }),
    turnsDisputed: new Counter({
      name: 'openclaw_rl_turns_disputed_total',
      help: 'Judged turns whose valid votes were not all the same',
      registers,
    }),
    breakerOpen: new Gauge({
      name: 'openclaw_rl_judge_breaker_open',
      help: '1 while the judge is taken to be down and its queue waits',
      registers,
    }),
    turnsHinted: new Counter({
      name: 'openclaw_rl_turns_hinted_total',
      help: "Turns that the hint teacher has worked on: hinted, or the reason why there are no teacher's log-probs",
      labelNames: ['result'] as const,
      registers,
    }),
    teacherSeconds: new Histogram({
      name: 'openclaw_rl_teacher_seconds',
      help: 'Time of one pass of the teacher, waiting and retries included',
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    teacherBreakerOpen: new Gauge({
      name: 'openclaw_rl_teacher_breaker_open',
      help: '1 while the teacher is taken to be down and its queue waits',
      registers,
    }),
    samples: new Counter({
      name: 'openclaw_rl_samples_total',
      help: 'Samples by what they train on: reward, teacher (its log-probs), or both',
      labelNames: ['signal'] as const,
      registers,
    }),
    turnsSettled: new Counter({
      name: 'openclaw_rl_turns_settled_total',
      help: 'Outcomes of turns by this process: sample, or the reason why none',
      labelNames: ['outcome'] as const,
      registers,
    }),
    feedback: new Counter({
      name: 'openclaw_rl_feedback_total',
      help: "People's feedback by fate",
      labelNames: ['fate'] as const,
      registers,
    }),
    samplesWaiting: new Gauge({
      name: 'openclaw_rl_samples_waiting',
      help: 'Samples no trainer has leased',
      registers,
    }),
    samplesLeased: new Gauge({ name: 'openclaw_rl_samples_leased', help: 'Samples under a live lease', registers }),
    samplesAcknowledged: new Gauge({
      name: 'openclaw_rl_samples_acknowledged',
      help: 'Samples that trainers have acknowledged since the store began',
      registers,
    }),
    samplesStale: new Gauge({
      name: 'openclaw_rl_samples_stale',
      help: 'Samples that were too old to be handed out since the store began',
      registers,
    }),
    leases: new Counter({
      name: 'openclaw_rl_lease_operations_total',
      help: "Operations at the trainer's door",
      labelNames: ['operation', 'status'] as const,
      registers,
    }),
    trainingRounds: new Counter({
      name: 'openclaw_rl_training_rounds_total',
      help: 'Rounds of the trainer by outcome: trained, failed',
      labelNames: ['outcome'] as const,
      registers,
    }),
    trainingNumbers: new Gauge({
      name: 'openclaw_rl_training',
      help: 'What the last round of training found, by kind: loss, kl, entropy, clip_fraction, log_prob_difference and others',
      labelNames: ['kind'] as const,
      registers,
    }),
    pocketTokens: new Counter({
      name: 'openclaw_rl_pocket_tokens_total',
      help: 'Tokens that the pocket engine has generated',
      registers,
    }),
    pocketAnswers: new Gauge({
      name: 'openclaw_rl_pocket_answers',
      help: 'Answers in the pocket engine: running, waiting',
      labelNames: ['state'] as const,
      registers,
    }),
    records: new Counter({
      name: 'openclaw_rl_records_total',
      help: 'Records by result: written, or failed and to be tried again',
      labelNames: ['result'] as const,
      registers,
    }),
    storeBytes: new Gauge({
      name: 'openclaw_rl_store_bytes',
      help: 'Bytes on disk by stream; buckets are streams named KV_',
      labelNames: ['stream'] as const,
      registers,
    }),
    storeLimitBytes: new Gauge({
      name: 'openclaw_rl_store_limit_bytes',
      help: 'Bytes that a stream may hold before its oldest messages go',
      labelNames: ['stream'] as const,
      registers,
    }),
    consumerPending: new Gauge({
      name: 'openclaw_rl_consumer_pending',
      help: 'Messages that wait for a consumer, the same on each replica',
      labelNames: ['stream', 'consumer'] as const,
      registers,
    }),
    consumerUnsettled: new Gauge({
      name: 'openclaw_rl_consumer_unsettled',
      help: 'Messages that are out at a consumer and not settled yet, the same on each replica',
      labelNames: ['stream', 'consumer'] as const,
      registers,
    }),
    busUp: new Gauge({ name: 'openclaw_rl_bus_up', help: '1 while NATS is reachable', registers }),
    handlerErrors: new Counter({
      name: 'openclaw_rl_handler_errors_total',
      help: 'Deliveries whose handler failed, by kind of error',
      labelNames: ['error'] as const,
      registers,
    }),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;

/** A registry of its own per app, so that two apps in one test process do not meet. */
export const createRegistry = (): { registry: Registry; metrics: Metrics } => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { registry, metrics: createMetrics(registry) };
};
