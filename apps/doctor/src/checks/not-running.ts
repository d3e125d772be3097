import { failed, unchecked, type Finding } from '../finding';
import type { Visit } from '../visit';

/** What to say of something that is there only while the stack runs. */
export const notRunning = ({ options }: Pick<Visit, 'options'>, what: string): Finding =>
  options.mustRun ? failed(`not running: ${what}`, 'npm start') : unchecked(`not running: npm start (${what})`);
