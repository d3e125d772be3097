const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a, and MurmurHash3's last steps behind it: names that differ in their last letter get scores that have nothing in common. */
const scoreOf = (text: string): number => {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/**
 * The engine of a key, by rendezvous hashing: the same one in every process as long as it is there. Without it only its own
 * keys move, evenly to the others, and they come back with it.
 *
 * @param engines at least one, in any order
 */
export const chooseByKey = <Engine extends { readonly name: string }>(
  key: string,
  engines: readonly [Engine, ...Engine[]],
): Engine => {
  const [first, ...others] = engines;
  let best = first;
  let bestScore = others.length === 0 ? 0 : scoreOf(`${key} ${first.name}`);
  for (const engine of others) {
    const score = scoreOf(`${key} ${engine.name}`);
    if (score < bestScore || (score === bestScore && engine.name < best.name)) continue;
    [best, bestScore] = [engine, score];
  }
  return best;
};
