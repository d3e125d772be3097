const NO_TEACHER = 'this version trains with binary rewards only and has no hint teacher';
const NO_OUTCOME = 'this version rewards turns one by one, without the outcome of a session';
const NO_UPDATES = 'this version hands out samples and updates no weights';
const NO_EVALUATION = 'this version has no evaluation mode';

/** Names that the documentation of the method knows and this version does not: an ignored setting would be a lie. */
const LATER: readonly { readonly name: RegExp; readonly reason: string }[] = [
  { name: /^opd(\.|$)|^OPENCLAW_RL_OPD_|^OPENCLAW_OPD_/, reason: NO_TEACHER },
  { name: /^reward(\.|$)|^OPENCLAW_RL_REWARD_/, reason: NO_OUTCOME },
  { name: /^rl\.update_interval$|^OPENCLAW_RL_RL_UPDATE_INTERVAL$/, reason: NO_UPDATES },
  { name: /^rl\.(binary_reward|opd)_weight$|^OPENCLAW_RL_RL_(BINARY_REWARD|OPD)_WEIGHT$/, reason: NO_TEACHER },
  { name: /^OPENCLAW_COMBINE_/, reason: NO_TEACHER },
  { name: /^OPENCLAW_EVAL_MODE$/, reason: NO_EVALUATION },
];

/** Why this version refuses a section, a path or a variable; null if it is no name of a later version. */
export function laterVersionReasonOrNull(name: string): string | null {
  return LATER.find((entry) => entry.name.test(name))?.reason ?? null;
}
