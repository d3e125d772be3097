const NAME_WIDTH = 40;

/** Passed answers as text: a block for each policy version, a line a task. `results`: `{ version, task, passed }` each. */
export function report(results) {
  const versions = [...new Set(results.map(({ version }) => version))];
  return versions
    .map((version) =>
      block(
        version,
        results.filter((each) => each.version === version),
      ),
    )
    .join('\n\n');
}

function block(version, results) {
  const tasks = [...new Set(results.map(({ task }) => task))];
  const lines = tasks.map((task) => `  ${shorten(task)}  ${share(results.filter((each) => each.task === task))}`);
  return [`Policy version ${version}: ${share(results)}`, ...lines].join('\n');
}

function share(results) {
  const passed = results.filter((each) => each.passed).length;
  return `${(passed / results.length).toFixed(2)} (${passed} of ${results.length})`;
}

function shorten(name) {
  const line = name.replaceAll(/\s+/g, ' ');
  return (line.length > NAME_WIDTH ? `${line.slice(0, NAME_WIDTH - 1)}…` : line).padEnd(NAME_WIDTH);
}
