import { panel } from './panel.mjs';

/** A panel of what the last round of training found: legends by the numbers' kinds. */
const numbers = (title, { kinds, ...options }) =>
  panel(title, {
    unit: 'short',
    min: null,
    ...options,
    queries: Object.fromEntries(
      Object.entries(kinds).map(([kind, legend]) => [legend, `max(openclaw_rl_training{kind="${kind}"})`]),
    ),
  });

/** Rounds of the built-in trainer, and every number that it tells of its last one. */
export const roundPanels = [
  panel('Rounds of training', {
    description: 'Rounds of an hour by outcome. failed: the log of the trainer says why, and it tries again by itself.',
    unit: 'short',
    stacked: true,
    queries: { '{{outcome}}': 'sum by (outcome) (increase(openclaw_rl_training_rounds_total[1h]))' },
  }),
  numbers('Seconds of a round', {
    description:
      'What the last round spent its time on: the wait for a batch, the training step, new weights that are written, the closed gate.',
    unit: 's',
    min: 0,
    stacked: true,
    kinds: {
      wait_seconds: 'wait',
      train_seconds: 'train',
      publish_seconds: 'write weights',
      update_seconds: 'update',
    },
  }),
  numbers('Samples of a round', {
    description:
      'Samples that the last round trained on, and those that it had to leave out: too long, or of another model.',
    min: 0,
    kinds: { samples: 'trained on', skipped: 'left out' },
  }),
  numbers('Mean score of a round', {
    description: 'Mean reward of the samples of the last round, from -1 to 1.',
    min: -1,
    kinds: { mean_score: 'score' },
  }),
  numbers('Loss', {
    description: 'The loss of the last round, and its parts before their weights; what is to fall, as far as it goes.',
    kinds: { loss: 'loss', policy_loss: 'policy', distillation_loss: 'distillation' },
  }),
  numbers('Distance from the first weights', {
    description: 'KL to the weights that training began with, in nats. It grows slowly; a leap is a step too far.',
    min: 0,
    kinds: { kl: 'KL' },
  }),
  numbers('Clipped tokens', {
    description: 'Share of tokens whose ratio was clipped. Much above a few percent: lower training.learning_rate.',
    unit: 'percentunit',
    min: 0,
    kinds: { clip_fraction: 'clipped' },
  }),
  numbers('Entropy', {
    description:
      'Mean entropy of the tokens trained on, in nats. Near 0: answers are all alike, and there is nothing to learn from.',
    min: 0,
    kinds: { entropy: 'entropy' },
  }),
  numbers('Advantages', {
    description: 'Mean and spread of the advantages of tokens. A spread of 0: every token was pushed alike.',
    kinds: { advantage_mean: 'mean', advantage_std: 'spread' },
  }),
  numbers('Gradient', {
    description: 'Norm of the gradient before it was brought down to training.max_gradient_norm.',
    min: 0,
    kinds: { gradient_norm: 'norm' },
  }),
  numbers('Rollout against training', {
    description:
      "Mean distance between the engine's log-probs of tokens and the trainer's own, in nats. Near 0 on fresh samples: the ids are exact.",
    min: 0,
    kinds: { log_prob_difference: 'difference' },
  }),
  numbers('Staleness', {
    description:
      'How many weight updates the samples of the last round were behind, on average; at most rl.max_staleness.',
    min: 0,
    kinds: { staleness: 'updates' },
  }),
];
