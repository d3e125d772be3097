/** An error that is the user's to solve: shown as its message alone, without a stack. */
export class Problem extends Error {
  name = 'Problem';
}

/** Runs a script: a problem, or settings that cannot be used, ends it with a readable message and exit code 1. */
export async function runScript(main) {
  try {
    await main();
  } catch (error) {
    const isForPeople = error instanceof Problem || error?.name === 'SettingsError';
    console.error(isForPeople ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
