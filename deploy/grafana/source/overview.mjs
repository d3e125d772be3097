import { dashboard, panel, stat } from './panel.mjs';

export const overview = dashboard('openclaw-rl-overview', {
  title: 'OpenClaw-RL: overview',
  description: 'Is it serving, is it learning?',
  panels: [
    stat('Chats', {
      description: 'Chats answered a second, over five minutes.',
      unit: 'reqps',
      queries: { chats: 'sum(job:openclaw_rl_chat_requests:rate5m)' },
    }),
    stat('Failed chats', {
      description: 'Share of chats that ended with a server error. Above 5% an alert fires.',
      unit: 'percentunit',
      queries: { failed: 'job:openclaw_rl_chat_errors:ratio_rate5m' },
    }),
    stat('First byte, 95%', {
      description: 'Time within which 95% of chats have their first byte; nearly all of it is the policy engine.',
      unit: 's',
      queries: { 'first byte': 'job:openclaw_rl_first_byte_seconds:p95_5m' },
    }),
    stat('Update gate', {
      description: 'Closed for a weight update: for seconds, not minutes.',
      unit: 'short',
      words: { 0: 'open', 1: 'closed' },
      queries: { closed: 'max(openclaw_rl_gate_closed)' },
    }),
    stat('Mean score', {
      description: 'Mean of the judge over an hour, from -1 to 1. It is what training raises.',
      unit: 'short',
      min: -1,
      queries: { score: 'job:openclaw_rl_score:mean1h' },
    }),
    stat('Turns that become samples', {
      description: 'Share of settled turns within an hour that became a training sample.',
      unit: 'percentunit',
      queries: { samples: 'job:openclaw_rl_samples:ratio_rate1h' },
    }),
    stat('Samples acknowledged', {
      description: 'Samples that trainers have trained on since the store began.',
      unit: 'short',
      queries: { samples: 'max(openclaw_rl_samples_acknowledged)' },
    }),
    stat('Policy version', {
      description: 'Weight updates so far.',
      unit: 'short',
      queries: { version: 'max(openclaw_rl_policy_version)' },
    }),
    panel('Chats by status', {
      description: 'Chats a second by HTTP status. 503: no policy, or the update gate; 499: the client went away.',
      unit: 'reqps',
      stacked: true,
      queries: { '{{status}}': 'job:openclaw_rl_chat_requests:rate5m' },
    }),
    panel('What becomes of turns', {
      description: 'Turns a second by outcome: sample, or the reason why none. ARCHITECTURE.md explains each reason.',
      unit: 'ops',
      stacked: true,
      queries: { '{{outcome}}': 'job:openclaw_rl_turns_settled:rate5m' },
    }),
    panel('Mean score', {
      description: 'The mean score of an hour over time. A fall behind an update means that the update did harm.',
      unit: 'short',
      min: -1,
      queries: { score: 'job:openclaw_rl_score:mean1h', version: 'max(openclaw_rl_policy_version)' },
      right: 'version',
    }),
    panel('Replicas', {
      description: 'Replicas of each service that answer.',
      unit: 'short',
      queries: { '{{job}}': 'sum by (job) (up)' },
    }),
  ],
});
