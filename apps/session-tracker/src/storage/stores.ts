import { Inject, Injectable } from '@nestjs/common';
import { Type, type Static } from '@sinclair/typebox';
import { Bus, QueuedDocuments, type DocumentStore } from '@app/bus';
import {
  BUCKETS,
  documentParser,
  parseSessionDocument,
  parseTurnPlace,
  type SessionDocument,
  type TurnPlace,
} from '@app/contracts';
import { ChainEntry } from '../pairing/chain-entry';

/** Says of a client (key `client.<clientKey>` of bucket sessions) that it sends tools; written when it was last noticed. */
export const ClientMark = Type.Object({ sendsTools: Type.Literal(true), noticedAt: Type.Integer() });

export type ClientMark = Static<typeof ClientMark>;

/** Documents of each kind that this process remembers to save reading them again. Others may write them as well. */
const REMEMBER = 10_000;

/** Everything that the tracker knows. It keeps nothing that another replica could miss. */
@Injectable()
export class Stores {
  readonly sessions: DocumentStore<SessionDocument>;
  readonly places: DocumentStore<TurnPlace>;
  readonly clients: DocumentStore<ClientMark>;
  readonly chains: DocumentStore<ChainEntry>;

  constructor(@Inject(Bus) bus: Bus) {
    this.sessions = new QueuedDocuments(() =>
      bus.documents(BUCKETS.sessions, parseSessionDocument, { remember: REMEMBER }),
    );
    this.places = new QueuedDocuments(() => bus.documents(BUCKETS.sessions, parseTurnPlace, { remember: REMEMBER }));
    this.clients = new QueuedDocuments(() =>
      bus.documents(BUCKETS.sessions, documentParser('client mark', ClientMark)),
    );
    this.chains = new QueuedDocuments(() =>
      bus.documents(BUCKETS.chains, documentParser('chain entry', ChainEntry), { remember: REMEMBER }),
    );
  }
}
