/** Names that the documentation of the method knows and this product does not: an ignored setting would be a lie. */
const REFUSED: readonly { readonly name: RegExp; readonly reason: string }[] = [
  {
    name: /^(rl|reward)\.at_least_one$|^OPENCLAW_RL_(RL|REWARD)_AT_LEAST_ONE$/,
    reason:
      'it would keep the first judged turn of a session also at reward 0, and without a KL term nothing is learned from that: it would take a place in a batch from a sample that trains',
  },
];

/** Why this product refuses a path or a variable by its name; null if it is none that is known. */
export function refusedNameReasonOrNull(name: string): string | null {
  return REFUSED.find((entry) => entry.name.test(name))?.reason ?? null;
}
