/** How a check came out. `unchecked`: it could not be made, or there was nothing to look at. */
export const STATUSES = ['ok', 'unchecked', 'warning', 'failed'] as const;
export type Status = (typeof STATUSES)[number];

/** What one check has found. */
export interface Finding {
  readonly status: Status;
  /** What was seen, in one line. No key and no conversation stands in it. */
  readonly seen: string;
  /** What to do. */
  readonly remedy?: string;
  /** What a model has answered to the doctor's own question, as it came. */
  readonly quote?: string;
}

export const ok = (seen: string): Finding => ({ status: 'ok', seen });
export const unchecked = (seen: string): Finding => ({ status: 'unchecked', seen });
export const warning = (seen: string, remedy: string): Finding => ({ status: 'warning', seen, remedy });
export const failed = (seen: string, remedy: string): Finding => ({ status: 'failed', seen, remedy });

/** One finding about several things, as bad as the worst of them; what is said of each is said once. */
export const worstOf = (findings: readonly Finding[]): Finding => {
  const status = STATUSES[Math.max(0, ...findings.map((each) => STATUSES.indexOf(each.status)))] ?? 'ok';
  const told = findings.filter((each) => each.status === status);
  const join = (texts: readonly (string | undefined)[]): string =>
    [...new Set(texts.flatMap((text) => text ?? []))].join('; ');
  const remedy = join(told.map((each) => each.remedy));
  const quote = told.find((each) => each.quote !== undefined)?.quote;
  return {
    status,
    seen: join(told.map(({ seen }) => seen)),
    ...(remedy === '' ? {} : { remedy }),
    ...(quote === undefined ? {} : { quote }),
  };
};
