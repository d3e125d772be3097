import { dashboard, panel } from './panel.mjs';

const quantile = (q, metric) => `histogram_quantile(${q}, sum by (le) (rate(${metric}_bucket[$__rate_interval])))`;
const quantiles = (metric) => ({
  '50%': quantile(0.5, metric),
  '95%': quantile(0.95, metric),
  '99%': quantile(0.99, metric),
});

export const serving = dashboard('openclaw-rl-serving', {
  title: 'OpenClaw-RL: serving',
  description: 'The gateway: what clients get, and what it costs them.',
  panels: [
    panel('Chats by status', {
      description: 'Chats a second by HTTP status.',
      unit: 'reqps',
      stacked: true,
      queries: { '{{status}}': 'sum by (status) (rate(openclaw_rl_chat_requests_total[$__rate_interval]))' },
    }),
    panel('Chats in progress', {
      description: 'Chats that each gateway is serving now; at gateway.max_concurrency more get 429.',
      unit: 'short',
      stacked: true,
      queries: { '{{instance}}': 'openclaw_rl_chat_in_flight' },
    }),
    panel('Time to the first byte', {
      description: 'From the request to the first byte of the answer, the engine included.',
      unit: 's',
      queries: quantiles('openclaw_rl_first_byte_seconds'),
    }),
    panel('Time of a chat', {
      description: 'From the request to the end of the answer.',
      unit: 's',
      queries: quantiles('openclaw_rl_chat_seconds'),
    }),
    panel("The gateway's own time", {
      description:
        'What the gateway itself takes before it asks the model: reading, hashing, recording. Milliseconds at most.',
      unit: 's',
      queries: quantiles('openclaw_rl_gateway_overhead_seconds'),
    }),
    panel('Tokens', {
      description: 'Tokens a second of prompts and completions, as the engine counts them.',
      unit: 'ops',
      queries: { '{{kind}}': 'sum by (kind) (rate(openclaw_rl_tokens_total[$__rate_interval]))' },
    }),
    panel('Capture', {
      description: 'Turns a second by the route that their tokens came by. text: no ids, so not to be trained on.',
      unit: 'ops',
      stacked: true,
      queries: { '{{route}} {{kind}}': 'sum by (route, kind) (rate(openclaw_rl_turns_total[$__rate_interval]))' },
    }),
    panel('Route of capture', {
      description:
        '1 for the way in which each gateway gets token ids from the engine now. text: it gives none, so nothing can be trained on.',
      unit: 'short',
      queries: { '{{route}} {{instance}}': 'openclaw_rl_capture_route == 1' },
    }),
    panel('Engines', {
      description:
        "1 for an engine of a pool that is not in order. sick: fails again and again. stale: serves other weights than the policy's; what it makes is not trained on.",
      unit: 'short',
      queries: {
        '{{pool}} {{engine}} {{condition}}':
          'max by (pool, engine, condition) (openclaw_rl_engine_condition{condition!="ok"})',
      },
    }),
    panel('Waiting for the bus', {
      description:
        'Bytes of turns that are kept in memory because NATS is away or slow. At gateway.capture_buffer_mb turns are dropped.',
      unit: 'bytes',
      queries: { '{{instance}}': 'openclaw_rl_capture_buffer_bytes' },
    }),
    panel('Update gate', {
      description: '1 while a gateway lets no chat in because of a weight update.',
      unit: 'short',
      queries: { '{{instance}}': 'openclaw_rl_gate_closed' },
    }),
    panel('Waiting at the gate', {
      description:
        'Time that chats waited for a weight update, 95% of them, by how it went on. At gate.hold_s they are refused.',
      unit: 's',
      queries: {
        '{{outcome}}':
          'histogram_quantile(0.95, sum by (le, outcome) (rate(openclaw_rl_gate_held_seconds_bucket[$__rate_interval])))',
      },
    }),
    panel('Sessions', {
      description: 'Sessions that are open: a turn within session.idle_minutes.',
      unit: 'short',
      queries: { open: 'max(openclaw_rl_sessions_open)' },
    }),
    panel('Tokens of the pocket engine', {
      description: 'Tokens a second that each pocket engine generates; without profile pocket there is none.',
      unit: 'ops',
      queries: { '{{instance}}': 'sum by (instance) (rate(openclaw_rl_pocket_tokens_total[$__rate_interval]))' },
    }),
    panel('Answers in the pocket engine', {
      description: 'Answers that are generated now, and those that wait for pocket.streams to have room.',
      unit: 'short',
      stacked: true,
      queries: { '{{state}}': 'sum by (state) (openclaw_rl_pocket_answers)' },
    }),
  ],
});
