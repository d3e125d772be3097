import { Injectable } from '@nestjs/common';
import { rootSessionKey, turnPlaceKey, type TurnInfo, type TurnPlace } from '@app/contracts';
import type { ChainEntry } from '../pairing/chain-entry';
import { chainKey, hintOf } from '../pairing/chain-keys';
import { parentOf } from '../pairing/pairing';
import { Patience } from '../storage/patience';
import { Stores } from '../storage/stores';
import { isMainLine } from './kind';
import { ToolClients } from './tool-clients';

/** Finds out where turns belong. The first answer is kept, so that every event of a turn gets the same one. */
@Injectable()
export class Places {
  constructor(
    private readonly stores: Stores,
    private readonly clients: ToolClients,
    private readonly patience: Patience,
  ) {}

  /**
   * The turn's place, decided now if it was not yet.
   *
   * @param isNews the turn has hardly been seen before: whether it has a place shows when one is written
   */
  async of(info: TurnInfo, isNews = false): Promise<TurnPlace> {
    if (info.hasTools) await this.clients.notice(info.client, info.arrivedAt);
    // Finding an unnamed session may take a while; a named one is written down as fast as it is looked up.
    const known = info.namedSession === undefined && !isNews ? await this.known(info.turnId) : null;
    if (known !== null) return known;
    const place: TurnPlace = {
      session:
        info.namedSession ?? (await this.parentSession(info)) ?? info.runtimeSession ?? rootSessionKey(info.turnId),
      main: isMainLine(
        info,
        info.kind === 'main' && !info.hasTools && (await this.clients.sendsTools(info.client, info.arrivedAt)),
      ),
    };
    return this.stores.places.update(turnPlaceKey(info.turnId), (first) =>
      first === null ? { next: place, result: place } : { next: null, result: first },
    );
  }

  /** The turn's place if it was decided. */
  async known(turnId: string): Promise<TurnPlace | null> {
    const key = turnPlaceKey(turnId);
    // Decided once, a place never changes.
    return this.stores.places.recall(key) ?? (await this.stores.places.get(key))?.value ?? null;
  }

  private async parentSession(info: TurnInfo): Promise<string | null> {
    const { parentChain } = info;
    if (parentChain === undefined) return null;
    const child = {
      id: info.turnId,
      role: 'user' as const,
      at: info.arrivedAt,
      narrow: info.narrow,
      client: info.client,
      session: hintOf(info),
    };
    const key = chainKey(info, parentChain);
    const hint = hintOf(info);
    let otherSession: string | null = null;
    // Others may have the same conversation word by word: where the session that the request names is missing, it may be late.
    const ownIn = (entry: ChainEntry | null): string | null => {
      const session = entry === null ? null : (parentOf(entry, child)?.session ?? null);
      if (hint === undefined || session === hint) return session;
      otherSession = session;
      return null;
    };
    const look = async (): Promise<string | null> => ownIn((await this.stores.chains.get(key))?.value ?? null);
    return ownIn(this.stores.chains.recall(key)) ?? (await this.patience.find(look)) ?? otherSession;
  }
}
