import type { JSX } from 'preact';
import type { TurnFate } from '@app/contracts';
import { useLive } from '../data/context';
import { FATES } from '../data/words';
import { MinuteBars, RewardBars } from '../parts/bars';
import { TurnTable } from '../parts/turn-table';

const METHODS: Readonly<Record<string, string>> = {
  binary: 'rewards by votes',
  opd: 'hints, scored by the teacher',
  hybrid: 'rewards and hints',
};

/** How everything stands at this moment. */
export const NowPage = (): JSX.Element => {
  const { now, gateway, rows } = useLive();
  if (now === null) return <p class="empty">Asking …</p>;
  const { waiting, size } = now.batch;
  const problems = [...(gateway?.problems ?? []), ...now.problems];
  const rewards = now.rewards;
  const mean = rewards.reduce<number>((sum, each) => sum + each, 0) / Math.max(1, rewards.length);
  const outcomes = Object.entries(now.outcomes).sort(([, a], [, b]) => b - a);
  const total = outcomes.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <h1>Now</h1>
      {problems.map(({ what, remedy }) => (
        <section key={what} class="problem" role="alert">
          <strong>{what}</strong> {remedy}
        </section>
      ))}
      <div class="cards">
        <section class="card" aria-labelledby="c-policy">
          <h2 id="c-policy">Policy</h2>
          <p class="big">
            version {now.policyVersion}
            <span class={`state ${now.gate.closed ? 'is-closed' : 'is-open'}`}>{now.gate.state}</span>
          </p>
          <p class="faint">
            {METHODS[now.method] ?? now.method}; {now.trained} samples trained on
          </p>
        </section>
        <section class="card" aria-labelledby="c-batch">
          <h2 id="c-batch">Next update</h2>
          <p class="big">
            {Math.min(waiting, size)} <small>of {size} samples</small>
          </p>
          <div class="slots" aria-hidden="true">
            {Array.from({ length: Math.min(size, 64) }, (_, i) => (
              <i key={i} class={i < waiting ? 'is-full' : ''} />
            ))}
          </div>
          {now.leased > 0 && <p class="faint">{now.leased} with a trainer</p>}
        </section>
        <section class="card" aria-labelledby="c-reward">
          <h2 id="c-reward">Rewards</h2>
          <p class="big">
            {rewards.length === 0 ? '–' : mean.toFixed(2).replace('-', '−')}{' '}
            <small>mean of the last {rewards.length}</small>
          </p>
          <RewardBars rewards={rewards} />
        </section>
        <section class="card" aria-labelledby="c-votes">
          <h2 id="c-votes">Votes</h2>
          <p class="big">
            {now.votesByMinute.at(-1) ?? 0} <small>in the last minute</small>
          </p>
          <MinuteBars counts={now.votesByMinute} />
        </section>
        <section class="card" aria-labelledby="c-requests">
          <h2 id="c-requests">Requests</h2>
          <p class="big">
            {gateway?.running ?? '–'} <small>running</small> {gateway?.held ?? '–'} <small>held</small>
          </p>
          <p class="faint">
            {(gateway?.held ?? 0) > 0 ? 'Held requests go on once the new weights serve.' : 'None waits for an update.'}
          </p>
        </section>
        <section class="card" aria-labelledby="c-recording">
          <h2 id="c-recording">Records</h2>
          <p class="big">{now.recording ? 'on' : 'off'}</p>
          <p class="faint">
            {now.recording
              ? 'Conversations are written down; operators may read them here.'
              : 'No conversation is shown here. records.enabled = true shows them to operators.'}
          </p>
        </section>
      </div>
      <section class="card" aria-labelledby="c-fates">
        <h2 id="c-fates">What became of {total} turns</h2>
        <ul class="fates">
          {outcomes.map(([fate, count]) => (
            <li key={fate}>
              <a href={`#/turns?fate=${fate}`}>{FATES[fate as TurnFate]}</a>
              <meter
                min={0}
                max={total}
                value={count}
                aria-label={`${FATES[fate as TurnFate]}: ${count} of ${total}`}
              />
              <span class="number">{count}</span>
            </li>
          ))}
        </ul>
        {total === 0 && <p class="faint">None is decided yet.</p>}
      </section>
      <h2>Newest turns</h2>
      <TurnTable rows={rows.slice(0, 12)} now={now.at} />
    </>
  );
};
