/** Errors of the settings that the libraries throw. */
const FOR_PEOPLE = new Set(['SettingsError', 'PoolPlanError']);

/** An error that is the user's to solve: shown as its message alone, without a stack. */
export class Problem extends Error {
  name = 'Problem';
}

/** Runs a script: a problem, or settings or pools that cannot be used, end it with a readable message and exit code 1. */
export async function runScript(main) {
  try {
    await main();
  } catch (error) {
    const isForPeople = error instanceof Problem || FOR_PEOPLE.has(error?.name);
    console.error(isForPeople ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
