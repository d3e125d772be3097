import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';
import { decodeFrame, encodeFrame, type FrameArrays, type PrintedMembers } from './frame';
import { isSubjectToken } from './ids';
import type { StreamName } from './streams';

/** Header that carries a message's info as JSON, so that readers of headers alone never receive a body. */
export const INFO_HEADER = 'rl-info';

/** Header that names the span in which a message was published, as W3C's `traceparent`; only where turns are traced. */
export const TRACE_HEADER = 'traceparent';

/** Thrown when a message does not have the shape its definition gives, on publishing or on receipt. */
export class MessageShapeError extends Error {
  override readonly name = 'MessageShapeError';
  readonly retryable = false;

  constructor(
    readonly message_: string,
    readonly part: 'info' | 'body' | 'subject',
    detail: string,
  ) {
    super(`message ${message_}: ${part} ${detail}`);
  }
}

/** A message on the wire, before it is published. */
export interface EncodedMessage {
  readonly subject: string;
  readonly info: string;
  readonly data: Uint8Array;
}

/** What a consumer sees of a message. `data` is empty for consumers that ask for headers only. */
export interface WireMessage {
  readonly subject: string;
  readonly info: string;
  readonly data: Uint8Array;
}

/** A message's content apart from its info. */
export interface Body<Head> {
  readonly head: Head;
  readonly arrays: FrameArrays;
}

/** One kind of message: its subject, stream and schemas, and the only way to encode and decode it. */
export interface MessageDefinition<Info extends TObject = TObject, Head extends TSchema = TSchema> {
  readonly name: string;
  readonly stream: StreamName;
  /** Subject of one message; the tokens are ids that `isSubjectToken` accepts. */
  subject(...tokens: readonly string[]): string;
  /** Subject filter that matches every message of this kind. */
  readonly filter: string;
  /** Whether a subject belongs to this kind. */
  matches(subject: string): boolean;
  encode(
    tokens: readonly string[],
    info: Static<Info>,
    head: Static<Head>,
    content?: { readonly arrays?: FrameArrays; readonly printed?: PrintedMembers },
  ): EncodedMessage;
  decodeInfo(message: WireMessage): Static<Info>;
  decode(message: WireMessage): { info: Static<Info>; body: Body<Static<Head>> };
}

const check = (name: string, part: 'info' | 'body', checker: TypeCheck<TSchema>, value: unknown): void => {
  if (checker.Check(value)) return;
  const first = checker.Errors(value).First();
  throw new MessageShapeError(name, part, `${first?.path ?? ''} ${first?.message ?? 'has a wrong shape'}`.trim());
};

const parseJson = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new MessageShapeError(name, 'info', `header ${INFO_HEADER} is missing or not JSON`);
  }
};

/** A head without the members that are printed already. */
const without = (head: unknown, printed: PrintedMembers): unknown => {
  const names = Object.keys(printed);
  if (names.length === 0) return head;
  return Object.fromEntries(Object.entries(head as object).filter(([name]) => !names.includes(name)));
};

/**
 * Defines a message kind. `subject` is the fixed part, `<domain>.<entity>.<past tense>.v<n>`; ids follow it.
 * The info is small and travels in a header; the body is a frame. Both are checked when published and when received.
 * A field that is added later is optional, so that messages of older versions stay readable.
 */
export const defineMessage = <Info extends TObject, Head extends TSchema>(definition: {
  readonly subject: string;
  readonly stream: StreamName;
  readonly info: Info;
  readonly body: Head;
}): MessageDefinition<Info, Head> => {
  const { subject: name, stream } = definition;
  const info = TypeCompiler.Compile(definition.info);
  const body = TypeCompiler.Compile(definition.body);
  const subject = (...tokens: readonly string[]): string => {
    const bad = tokens.find((token) => !isSubjectToken(token));
    if (tokens.length === 0 || bad !== undefined) {
      throw new MessageShapeError(name, 'subject', `needs ids of letters, digits, - and _, got ${JSON.stringify(bad)}`);
    }
    return [name, ...tokens].join('.');
  };
  const decodeInfo = (message: WireMessage): Static<Info> => {
    const value = parseJson(name, message.info);
    check(name, 'info', info, value);
    return value as Static<Info>;
  };
  return {
    name,
    stream,
    subject,
    filter: `${name}.>`,
    matches: (candidate) => candidate.startsWith(`${name}.`),
    encode: (tokens, infoValue, head, { arrays = {}, printed = {} } = {}) => {
      check(name, 'info', info, infoValue);
      check(name, 'body', body, head);
      const rest = without(head, printed);
      return { subject: subject(...tokens), info: JSON.stringify(infoValue), data: encodeFrame(rest, arrays, printed) };
    },
    decodeInfo,
    decode: (message) => {
      const { head, arrays } = decodeFrame(message.data);
      check(name, 'body', body, head);
      return { info: decodeInfo(message), body: { head, arrays } };
    },
  };
};
