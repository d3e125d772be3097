import { execFileSync } from 'node:child_process';

/** A network of its own for one process, joined to this machine's by a cable that can be pulled out. */
export interface NetworkIsland {
  /** This machine's address on the cable. */
  readonly here: string;
  /** The island's address. */
  readonly there: string;
  /** A command that runs another one on the island. */
  readonly runBy: readonly string[];
  /** From now on packets are lost in both directions, and nobody is told. */
  cut(): void;
  heal(): void;
  remove(): void;
}

let count = 0;

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** Makes a Linux network namespace; null where that is not possible: it takes root and iproute2. */
export const makeNetworkIsland = (): NetworkIsland | null => {
  count += 1;
  const place = (process.pid * 8 + count) % 2 ** 14;
  const name = `rl-${process.pid}-${count}`;
  const [ours, theirs] = [`rlh${place}`, `rli${place}`];
  // A block of four addresses out of 10.213.0.0/16, which belongs to nobody on a machine that tests run on.
  const address = (host: number): string => `10.213.${place >> 6}.${(place & 63) * 4 + host}`;
  const remove = (): void => {
    ip('netns', 'del', name);
  };
  try {
    ip('netns', 'add', name);
  } catch {
    return null;
  }
  try {
    ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name);
    ip('addr', 'add', `${address(1)}/30`, 'dev', ours);
    ip('link', 'set', ours, 'up');
    ip('-n', name, 'addr', 'add', `${address(2)}/30`, 'dev', theirs);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'link', 'set', theirs, 'up');
  } catch {
    remove();
    return null;
  }
  return {
    here: address(1),
    there: address(2),
    runBy: ['ip', 'netns', 'exec', name],
    // The far end, since an address whose own end is down is lost to this machine as well.
    cut: () => {
      ip('-n', name, 'link', 'set', theirs, 'down');
    },
    heal: () => {
      ip('-n', name, 'link', 'set', theirs, 'up');
    },
    remove,
  };
};
