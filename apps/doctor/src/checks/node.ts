import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';

const OLDEST = [20, 19] as const;

/** What to say of a version of Node, `24.21.0`. */
export const judgeNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(`Node ${version}`);
  return failed(`Node ${version} is too old`, `install Node ${OLDEST.join('.')} or newer`);
};

export const nodeCheck: Check = {
  id: 'node',
  title: 'Node',
  needs: [],
  look: () => judgeNode(process.versions.node),
};
