import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { MessageShapeError } from './message';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });

/** A question over core NATS that one replica of a service answers; nothing is stored. */
export interface RpcDefinition<Request, Reply> {
  readonly subject: string;
  encodeRequest(request: Request): string;
  decodeRequest(text: string): Request;
  encodeReply(reply: Reply): string;
  decodeReply(text: string): Reply;
}

/** Defines a question: its subject, and the schemas that whoever receives holds the other's words against. */
export const defineRpc = <Request extends TSchema, Reply extends TSchema>(definition: {
  subject: string;
  request: Request;
  reply: Reply;
}): RpcDefinition<Static<Request>, Static<Reply>> => {
  const decode = <Schema extends TSchema>(schema: Schema, text: string): Static<Schema> => {
    const value: unknown = JSON.parse(text);
    if (Value.Check(schema, value)) return value;
    throw new MessageShapeError(definition.subject, 'body', Value.Errors(schema, value).First()?.message ?? '');
  };
  return {
    subject: definition.subject,
    encodeRequest: (request) => JSON.stringify(request),
    decodeRequest: (text) => decode(definition.request, text),
    encodeReply: (reply) => JSON.stringify(reply),
    decodeReply: (text) => decode(definition.reply, text),
  };
};

/** Removes everything that is kept of a session: its messages in every stream, its documents and its records. */
export const EraseSession = defineRpc({
  subject: 'rl.rpc.session.erase.v1',
  request: Type.Object({ session: Id }),
  reply: Type.Object({
    /** Stream messages deleted. */
    messages: Type.Integer({ minimum: 0 }),
    /** Record lines deleted. */
    records: Type.Integer({ minimum: 0 }),
  }),
});

/**
 * How many answers the policy's engines are giving by order of a replica. Every replica that calls them answers, so whoever
 * asks gathers replies for a while.
 */
export const CountRunning = defineRpc({
  subject: 'rl.rpc.policy.running.v1',
  request: Type.Object({}),
  reply: Type.Object({
    running: Type.Integer({ minimum: 0 }),
    /** Token of the update that the replica knows to be under way. */
    token: Type.Optional(Type.String()),
  }),
});
