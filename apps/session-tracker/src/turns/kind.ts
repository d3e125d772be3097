import type { Exclusion } from '@app/contracts';

/** Whether a request belongs to the conversation itself: a client that has tools uses none only for side work (titles, summaries). */
export const isMainLine = (
  turn: { readonly kind: 'main' | 'side'; readonly hasTools: boolean },
  clientSendsTools: boolean,
): boolean => turn.kind === 'main' && (turn.hasTools || !clientSendsTools);

/** Why a completed turn is not judged; null for a main-line answer that arrived whole. Without token ids it is still collected. */
export const unjudgedReason = (
  main: boolean,
  exclusion: Exclusion | undefined,
): Exclude<Exclusion, 'no_token_ids'> | null => {
  if (exclusion !== undefined && exclusion !== 'no_token_ids') return exclusion;
  return main ? null : 'side_turn';
};
