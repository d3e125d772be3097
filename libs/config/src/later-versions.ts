const NO_OUTCOME = 'this version rewards turns one by one, without the outcome of a session';

/** Names that the documentation of the method knows and this version does not: an ignored setting would be a lie. */
const LATER: readonly { readonly name: RegExp; readonly reason: string }[] = [
  { name: /^reward(\.|$)|^OPENCLAW_RL_REWARD_/, reason: NO_OUTCOME },
];

/** Why this version refuses a section, a path or a variable; null if it is no name of a later version. */
export function laterVersionReasonOrNull(name: string): string | null {
  return LATER.find((entry) => entry.name.test(name))?.reason ?? null;
}
