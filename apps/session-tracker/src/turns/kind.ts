import type { Exclusion } from '@app/contracts';

/** Whether a request belongs to the conversation itself: a client that has tools uses none only for side work (titles, summaries). */
export const isMainLine = (
  turn: { readonly kind: 'main' | 'side'; readonly hasTools: boolean },
  clientSendsTools: boolean,
): boolean => turn.kind === 'main' && (turn.hasTools || !clientSendsTools);

/** Whether a completed turn is judged: a main-line answer that arrived whole. Without token ids it is still collected. */
export const isJudged = (main: boolean, exclusion: Exclusion | undefined): boolean =>
  main && (exclusion === undefined || exclusion === 'no_token_ids');
