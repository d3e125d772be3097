import { dashboard, panel } from './panel.mjs';

export const judging = dashboard('openclaw-rl-judging', {
  title: 'OpenClaw-RL: judging',
  description: 'The judge: what it says, how fast, how sure.',
  panels: [
    panel('Judged turns by score', {
      description: 'Turns a second by the score of the majority; none: no valid vote.',
      unit: 'ops',
      stacked: true,
      queries: { '{{score}}': 'sum by (score) (rate(openclaw_rl_turns_judged_total[$__rate_interval]))' },
    }),
    panel('Votes by result', {
      description: 'Votes a second. invalid: answered without a verdict; failed: no answer.',
      unit: 'ops',
      stacked: true,
      queries: { '{{result}}': 'sum by (result) (rate(openclaw_rl_votes_total[$__rate_interval]))' },
    }),
    panel('Votes by judge', {
      description: 'Votes a second of each replica: all replicas of prm-judge share the work by the queue.',
      unit: 'ops',
      queries: { '{{instance}}': 'sum by (instance) (rate(openclaw_rl_votes_total[$__rate_interval]))' },
    }),
    panel('Time of a vote', {
      description: 'From question to verdict, retries included.',
      unit: 's',
      queries: {
        '50%': 'histogram_quantile(0.5, sum by (le) (rate(openclaw_rl_vote_seconds_bucket[$__rate_interval])))',
        '95%': 'job:openclaw_rl_vote_seconds:p95_5m',
      },
    }),
    panel('Disagreement', {
      description: 'Share of judged turns of an hour whose votes were not all the same. High: the judge guesses.',
      unit: 'percentunit',
      queries: { disputed: 'job:openclaw_rl_turns_disputed:ratio_rate1h' },
    }),
    panel('Hints', {
      description:
        "Turns of an hour by what the hint teacher made of them: hinted, or why there are no teacher's log-probs.",
      unit: 'short',
      stacked: true,
      queries: { '{{result}}': 'job:openclaw_rl_turns_hinted:increase1h' },
    }),
    panel('Turns with a hint', {
      description: 'Share of an hour whose next state said how the answer should have been.',
      unit: 'percentunit',
      queries: { hinted: 'job:openclaw_rl_hints:ratio_rate1h' },
    }),
    panel('Time of the teacher', {
      description: 'Time of one pass of the teacher, waiting and retries included, 95% of them.',
      unit: 's',
      queries: { '95%': 'job:openclaw_rl_teacher_seconds:p95_5m' },
    }),
    panel('Turns that wait for the teacher', {
      description: 'Turns that no teacher has taken yet, and those that are in hand.',
      unit: 'short',
      queries: {
        waiting: 'max(openclaw_rl_consumer_pending{consumer="opd-teacher"})',
        'in hand': 'max(openclaw_rl_consumer_unsettled{consumer="opd-teacher"})',
      },
    }),
    panel('Teacher taken to be down', {
      description: '1 for each replica that has stopped asking because the teacher failed several times in a row.',
      unit: 'short',
      queries: { '{{instance}}': 'openclaw_rl_teacher_breaker_open' },
    }),
    panel('Turns that wait for the judge', {
      description: 'Turns that no judge has taken yet, and those that are being judged. Growing: start more replicas.',
      unit: 'short',
      queries: {
        waiting: 'max(openclaw_rl_consumer_pending{consumer="prm-judge"})',
        'being judged': 'max(openclaw_rl_consumer_unsettled{consumer="prm-judge"})',
      },
    }),
    panel('Judge taken to be down', {
      description: '1 for each replica that has stopped asking because the judge failed several times in a row.',
      unit: 'short',
      queries: { '{{instance}}': 'openclaw_rl_judge_breaker_open' },
    }),
    panel("People's feedback", {
      description: 'Feedback a second by what became of it: used, late, or a text that is judged like a reply.',
      unit: 'ops',
      stacked: true,
      queries: { '{{fate}}': 'sum by (fate) (rate(openclaw_rl_feedback_total[$__rate_interval]))' },
    }),
    panel('Next states by who speaks', {
      description: 'Turns a second whose next state was found, by role: a user who reacts, or a tool that answers.',
      unit: 'ops',
      stacked: true,
      queries: { '{{role}}': 'sum by (role) (rate(openclaw_rl_turns_followed_total[$__rate_interval]))' },
    }),
  ],
});
