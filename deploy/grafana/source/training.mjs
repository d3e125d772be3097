import { dashboard, panel } from './panel.mjs';
import { roundPanels } from './rounds.mjs';

export const training = dashboard('openclaw-rl-training', {
  title: 'OpenClaw-RL: training',
  description: 'From turns to samples to weights.',
  panels: [
    panel('What becomes of turns', {
      description: 'Turns of an hour by outcome: sample, or the reason why none.',
      unit: 'short',
      stacked: true,
      queries: { '{{outcome}}': 'job:openclaw_rl_turns_settled:increase1h' },
    }),
    panel('Turns that become samples', {
      description: 'Share of settled turns of an hour that became a sample.',
      unit: 'percentunit',
      queries: { samples: 'job:openclaw_rl_samples:ratio_rate1h' },
    }),
    panel('Samples by what they train on', {
      description: "Samples a second by signal: a reward, a teacher's log-probs, or both.",
      unit: 'ops',
      stacked: true,
      queries: { '{{signal}}': 'sum by (signal) (rate(openclaw_rl_samples_total[$__rate_interval]))' },
    }),
    panel('Samples', {
      description:
        'Samples that wait, and that a trainer holds now. At slime.queue_size waiting ones new turns are refused.',
      unit: 'short',
      queries: { waiting: 'max(openclaw_rl_samples_waiting)', leased: 'max(openclaw_rl_samples_leased)' },
    }),
    panel('Samples acknowledged', {
      description: 'Samples that trainers have trained on since the store began; flat: nobody trains.',
      unit: 'short',
      queries: { acknowledged: 'max(openclaw_rl_samples_acknowledged)' },
    }),
    panel('Policy version', {
      description: 'Weight updates so far, as the gateways and the door know it; they differ for moments only.',
      unit: 'short',
      queries: { '{{job}}': 'max by (job) (openclaw_rl_policy_version)' },
    }),
    panel('Weight updates', {
      description: 'Updates of an hour by how they ended; expired: the trainer was gone before its commit.',
      unit: 'short',
      stacked: true,
      queries: { '{{outcome}}': 'sum by (outcome) (increase(openclaw_rl_policy_updates_total[1h]))' },
    }),
    panel('Time of an update', {
      description:
        'From the begin of an update to the open gate, and from the new version to the first piece of an answer by it, 95% each.',
      unit: 's',
      queries: {
        'gate closed': 'histogram_quantile(0.95, sum by (le) (rate(openclaw_rl_gate_closed_seconds_bucket[1h])))',
        'first answer': 'histogram_quantile(0.95, sum by (le) (rate(openclaw_rl_new_weights_seconds_bucket[1h])))',
      },
    }),
    panel('Stale samples', {
      description:
        'Samples that were too old to be handed out (rl.max_staleness), since the store began. Rising: train more, or keep fewer.',
      unit: 'short',
      queries: { stale: 'max(openclaw_rl_samples_stale)' },
    }),
    panel("Operations at the trainer's door", {
      description: 'Leases, acknowledgements and returns a second, by how they ended.',
      unit: 'ops',
      queries: {
        '{{operation}} {{status}}':
          'sum by (operation, status) (rate(openclaw_rl_lease_operations_total[$__rate_interval]))',
      },
    }),
    panel('Mean score', {
      description: 'Mean of the judge over an hour, from -1 to 1: what all this is to raise.',
      unit: 'short',
      min: -1,
      queries: { score: 'job:openclaw_rl_score:mean1h' },
    }),
    ...roundPanels,
  ],
});
