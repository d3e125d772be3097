import { Type, type Static } from '@sinclair/typebox';
import { documentParser } from './session-document';

/** Where a turn belongs, in bucket `sessions` under `turnPlaceKey`. The tracker decides it at its first sight, for ever. */
export const TurnPlace = Type.Object({
  session: Type.String(),
  /** Main-line: may follow, may be followed. */
  main: Type.Boolean(),
});

export type TurnPlace = Static<typeof TurnPlace>;

/** KV key of a turn's place. */
export const turnPlaceKey = (turnId: string): string => `turn.${turnId}`;

/** @throws DocumentShapeError */
export const parseTurnPlace = documentParser('turn place', TurnPlace);
