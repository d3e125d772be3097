import type { EncodedMessage } from '@app/contracts';
import type { SpanOptions } from '@app/tracing';
import type { Delivery } from './delivered';
import { NotYetError } from './errors';

/** A message's name, and the id of the turn that it is about, as its subject says: `rl.<entity>.<past tense>.v<n>.<ids>`. */
const SUBJECT = /^(?<destination>rl\.(?<name>(?<entity>\w+)\.\w+)\.v\d+)\.(?<id>[^.]+)/;
/** Messages whose first id is a turn's. */
const OF_TURNS = new Set(['turn', 'feedback']);

type SpanOfMessage = readonly [name: string, options: SpanOptions];

const describe = (subject: string): { name: string; turn?: string; destination: string } => {
  const { name, entity = '', id, destination } = SUBJECT.exec(subject)?.groups ?? {};
  if (name === undefined || destination === undefined) return { name: 'message', destination: subject };
  return { name, destination, ...(OF_TURNS.has(entity) && id !== undefined ? { turn: id } : {}) };
};

const messaging = (operation: 'publish' | 'process', destination: string) => ({
  'messaging.system': 'nats',
  'messaging.operation.name': operation,
  'messaging.operation.type': operation === 'publish' ? 'send' : 'process',
  'messaging.destination.name': destination,
});

/** The span in which a message is published: until the server has it. */
export const publishSpan = ({ subject }: EncodedMessage): SpanOfMessage => {
  const { name, turn, destination } = describe(subject);
  return [`publish ${name}`, { kind: 'producer', turn, attributes: messaging('publish', destination) }];
};

/** The span in which a message is worked on, asked for by the one in which it was published. What comes too early does not fail. */
export const workSpan = ({ subject, trace, deliveries }: Delivery): SpanOfMessage => {
  const { name, turn, destination } = describe(subject);
  const attributes = { ...messaging('process', destination), 'openclaw_rl.deliveries': deliveries };
  const isFault = (error: unknown): boolean => !(error instanceof NotYetError);
  return [`process ${name}`, { kind: 'consumer', turn, parent: trace ?? null, attributes, isFault }];
};
