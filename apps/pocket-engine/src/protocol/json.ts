import { isRecord } from '@app/chat';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object, or an empty one. */
export const objectOf = (value: unknown): JsonObject => (isRecord(value) ? value : {});
