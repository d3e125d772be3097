import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Learning } from '@app/contracts';
import { useAnswer, useConsole, useLive } from '../data/context';
import { timeOf } from '../data/words';
import { Chart, type Line } from '../parts/chart';
import { HeldOutView } from '../parts/held-out';

/** Metrics that trainers report under these names come first, under a name for people; any other one follows under its own. */
const KNOWN: Readonly<Record<string, string>> = {
  mean_score: 'Mean score of the batch',
  loss: 'Loss',
  policy_loss: 'Policy loss',
  kl: 'KL to the first weights',
  clip_fraction: 'Clip fraction',
  log_prob_difference: 'Drift of log-probs',
  entropy: 'Entropy',
  gradient_norm: 'Norm of the gradient',
  advantage_mean: 'Mean advantage',
  advantage_std: 'Spread of advantages',
  distillation_loss: 'Distillation loss',
  staleness: 'Staleness of the batch',
  samples: 'Samples of the batch',
  skipped: 'Samples skipped',
  train_seconds: 'Seconds of training',
};

interface Series {
  readonly title: string;
  readonly x: readonly number[];
  readonly lines: readonly Line[];
}

/** One series for each metric that any update has. */
export const metricSeries = ({ updates }: Pick<Learning, 'updates'>): Series[] => {
  const reported = new Set(updates.flatMap(({ metrics }) => Object.keys(metrics)));
  const names = [
    ...Object.keys(KNOWN).filter((name) => reported.has(name)),
    ...[...reported].filter((name) => !(name in KNOWN)).sort(),
  ];
  const x = updates.map(({ version }) => version);
  return names.map((name) => ({
    title: KNOWN[name] ?? name.replaceAll('_', ' '),
    x,
    lines: [
      { name: KNOWN[name] ?? name, color: 'accent', values: updates.map(({ metrics }) => metrics[name] ?? null) },
    ],
  }));
};

const versionSeries = ({ versions }: Learning): Series[] => {
  const x = versions.map(({ version }) => version);
  const of = (pick: (row: Learning['versions'][number]) => number | null): (number | null)[] => versions.map(pick);
  return [
    {
      title: 'Score and reward by policy version',
      x,
      lines: [
        { name: 'judge’s score', color: 'accent', values: of(({ meanScore }) => meanScore) },
        { name: 'reward of samples', color: 'good', values: of(({ meanReward }) => meanReward) },
      ],
    },
    {
      title: 'Turns by policy version',
      x,
      lines: [
        { name: 'turns', color: 'faint', values: of(({ turns }) => turns) },
        { name: 'judged', color: 'accent', values: of(({ judged }) => judged) },
        { name: 'samples', color: 'good', values: of(({ samples }) => samples) },
      ],
    },
    {
      title: 'Staleness: versions behind when settled',
      x,
      lines: [{ name: 'versions behind', color: 'bad', values: of(({ staleness }) => staleness) }],
    },
  ];
};

/** Whether it learns: by version of the policy, and by what trainers say of each update. */
export const LearningPage = (): JSX.Element => {
  const { api } = useConsole();
  const { now } = useLive();
  const [count, setCount] = useState(0);
  const { value, error } = useAnswer(api.learning, [api, now?.policyVersion, count]);
  const charts = useMemo(() => (value === null ? [] : [...versionSeries(value), ...metricSeries(value)]), [value]);
  return (
    <>
      <h1>Learning</h1>
      {error !== null && <p class="problem">{error}</p>}
      <div class="charts">
        {charts.map((series) => (
          <Chart key={series.title} xName="version" {...series} />
        ))}
      </div>
      {value !== null && value.heldOut !== null && value.heldOut.length > 0 && (
        <section aria-labelledby="held-out-title">
          <h2 id="held-out-title">Held-out prompts, before and after</h2>
          <HeldOutView
            versions={value.heldOut}
            onForgotten={() => {
              setCount(count + 1);
            }}
          />
        </section>
      )}
      {value !== null && value.updates.length === 0 && (
        <p class="empty">No update yet. What the trainer reports of each shows up here.</p>
      )}
      {value !== null && value.updates.length > 0 && (
        <>
          <h2>Updates</h2>
          <div class="scroll" tabIndex={0} role="region" aria-label="Updates">
            <table>
              <thead>
                <tr>
                  <th scope="col" class="number">
                    Version
                  </th>
                  <th scope="col">Trainer</th>
                  <th scope="col" class="number">
                    Samples
                  </th>
                  <th scope="col" class="number">
                    Seconds
                  </th>
                  <th scope="col">Ended</th>
                </tr>
              </thead>
              <tbody>
                {value.updates.toReversed().map((update) => (
                  <tr key={update.version}>
                    <th scope="row" class="number">
                      {update.version}
                    </th>
                    <td>
                      {update.trainer}
                      {update.outcome === 'recovered' && ' (recovered)'}
                    </td>
                    <td class="number">{update.samples}</td>
                    <td class="number">{((update.endedAt - update.startedAt) / 1000).toFixed(1)}</td>
                    <td>{timeOf(update.endedAt)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
};
