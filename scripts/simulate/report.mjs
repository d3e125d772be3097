const PLOT_HEIGHT = 8;
/** Columns of 20 minutes. */
const COLUMNS = 72;
const MARKS = new Map([0, 6, 12, 18].map((hour) => [3 * hour, `${hour} h`]));
const MINUTE = 60;
const HOUR = 3600;

/** What was found, for people. */
export function report({ clusters, demand, plan, minutes, trials }, { shortNumber, plotColumns }) {
  const counted = (count, name) => `${shortNumber(count)} ${name}${count === 1 ? '' : 's'}`;
  const { load, teachers, sharesGpus, seed } = plan;
  const head = [
    `${counted(clusters * load.users, 'user')} in ${counted(clusters, 'cluster')}. One cluster:`,
    `  ${shortNumber(demand.turnsPerDay)} turns a day, ${shortNumber(demand.turnsPerSecond)} turns/s at the busiest moment, ${shortNumber(demand.votesPerSecond)} votes/s`,
    `  GPUs needed: policy ${demand.gpus.policy}, judge ${demand.gpus.judge}, hints and teacher ${demand.gpus.teacher}`,
    `  ${shortNumber(demand.megabytesPerSecond)} MB/s to JetStream and ${shortNumber(demand.storedGb)} GB kept, each copy; nats.store_gb = ${shortNumber(demand.storeGbSetting)}`,
    `A day in virtual time, seed ${seed}; batches of ${load.batch}, the gate closed ${load.closedSeconds} s for each; ${counted(teachers, 'GPU')} of hints and teacher${sharesGpus ? "; all on the policy's GPUs" : ''}:`,
  ];
  const rows = [
    [
      'judges',
      'wait p95',
      'most wait',
      ...(minutes > 0 ? [`outage of ${minutes} min: most wait`, 'longest', 'worked off after'] : []),
    ],
    ...trials.map(({ judges, normal, broken }) => [
      String(judges),
      duration(normal.judge.wait.p95),
      shortNumber(normal.judge.waiting.most),
      ...(broken === null
        ? []
        : [shortNumber(broken.judge.waiting.most), duration(broken.judge.wait.most), duration(broken.recoverySeconds)]),
    ]),
  ];
  const chosen = trials.find(({ judges }) => judges === demand.gpus.judge) ?? trials[0];
  const shown = chosen.broken ?? chosen.normal;
  const { held, trainer } = chosen.normal;
  const updates = [
    `Updates with ${chosen.judges}: ${trainer.updates} in the day. ${shortNumber(held.waiting.most)} chats were held at once at most, the longest ${duration(held.wait.most)}, ${duration(held.wait.mean)} on average.`,
    `Samples refused as queue_full: ${shortNumber(trainer.refused)}.`,
  ];
  const waiting = shown.judge.waiting.byInterval.slice(0, COLUMNS);
  const title = `Most turns that waited for ${counted(chosen.judges, 'judge')}, in every 20 minutes${chosen.broken === null ? '' : ', with the outage at 14 h'}:`;
  return [
    ...head,
    '',
    ...align(rows),
    '',
    ...updates,
    '',
    title,
    plotColumns(waiting, { height: PLOT_HEIGHT, marks: MARKS }),
  ].join('\n');
}

/** Seconds in words of one unit. */
function duration(seconds) {
  if (seconds === null) return 'not in the day';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 2 * MINUTE) return `${seconds.toFixed(1)} s`;
  if (seconds < 2 * HOUR) return `${(seconds / MINUTE).toFixed(1)} min`;
  return `${(seconds / HOUR).toFixed(1)} h`;
}

function align(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padStart(widths[column])).join('  ')}`);
}
