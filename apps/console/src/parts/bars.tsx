import type { JSX } from 'preact';

/** Scores one after the other: up for good, down for bad. */
export const RewardBars = ({ rewards }: { rewards: readonly (1 | -1 | 0)[] }): JSX.Element => {
  const shown = rewards.slice(-64);
  const mean = shown.reduce<number>((sum, each) => sum + each, 0) / Math.max(1, shown.length);
  return (
    <svg
      class="bars"
      viewBox="0 0 256 48"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Mean of the last ${shown.length} scores: ${mean.toFixed(2)}`}
    >
      <line class="axis" x1="0" x2="256" y1="24" y2="24" />
      {shown.map((reward, i) => (
        <rect
          key={i}
          class={reward > 0 ? 'good' : reward < 0 ? 'bad' : 'neutral'}
          x={256 - (shown.length - i) * 4}
          y={reward > 0 ? 3 : reward < 0 ? 25 : 22}
          width="3"
          height={reward === 0 ? 4 : 20}
          rx="1"
        />
      ))}
    </svg>
  );
};

/** Counts of the last minutes. */
export const MinuteBars = ({ counts }: { counts: readonly number[] }): JSX.Element => {
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, each) => sum + each, 0);
  const width = 256 / Math.max(1, counts.length);
  return (
    <svg
      class="bars"
      viewBox="0 0 256 48"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${total} votes in the last ${counts.length} minutes`}
    >
      <line class="axis" x1="0" x2="256" y1="47.5" y2="47.5" />
      {counts.map((count, i) => (
        <rect
          key={i}
          class="plain"
          x={i * width}
          y={47 - (count / most) * 44}
          width={width - 1.5}
          height={(count / most) * 44}
          rx="1"
        />
      ))}
    </svg>
  );
};
