import { isRecord } from '@app/chat';

export type JsonObject = Record<string, unknown>;

export const asObject = (value: unknown): JsonObject => (isRecord(value) ? value : {});
export const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
export const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
