import { Type, type Static } from '@sinclair/typebox';

/** Program of the caller that it is from, see `clientKey`; entries of earlier versions have none. */
const Client = Type.Optional(Type.String());

/** A turn whose conversation, answer included, has the entry's hash. */
const ChainTurn = Type.Object({
  id: Type.String(),
  session: Type.String(),
  narrow: Type.Optional(Type.String()),
  client: Client,
  /** Whether it is judged once it is followed. Others stand here too: what follows them follows nothing else. */
  judge: Type.Boolean(),
  /** Gateway's clock, milliseconds since 1970: when its request arrived. */
  at: Type.Integer(),
  followedBy: Type.Optional(Type.String()),
});

/** A request that continues the conversation with the entry's hash. */
const ChainFollower = Type.Object({
  id: Type.String(),
  role: Type.Union([Type.Literal('user'), Type.Literal('tool')]),
  /** Session that the request itself names. */
  session: Type.Optional(Type.String()),
  narrow: Type.Optional(Type.String()),
  client: Client,
  at: Type.Integer(),
  follows: Type.Optional(Type.String()),
  /** Looks for its turn under another key by now. */
  withdrawn: Type.Optional(Type.Literal(true)),
});

/** Turns and followers that meet under one key of bucket chains, each list by time and bounded. */
export const ChainEntry = Type.Object({ turns: Type.Array(ChainTurn), followers: Type.Array(ChainFollower) });

export type ChainTurn = Static<typeof ChainTurn>;
export type ChainFollower = Static<typeof ChainFollower>;
export type ChainEntry = Static<typeof ChainEntry>;
