import { Injectable } from '@nestjs/common';
import type { TurnArrivedInfo, TurnCompletedInfo, TurnPlace } from '@app/contracts';
import { Outcomes } from '../outcomes/outcomes';
import { Patience } from '../storage/patience';
import { Stores } from '../storage/stores';
import type { ChainEntry, ChainFollower, ChainTurn } from './chain-entry';
import { answerKeys, chainKey, hintOf } from './chain-keys';
import { addFollower, addTurn, EMPTY_ENTRY, hasWithdrawn, pairsOf, parentOf, withdraw, type Pair } from './pairing';

/** Brings turns and their followers together, whichever comes first, and says so once. */
@Injectable()
export class Pairs {
  constructor(
    private readonly stores: Stores,
    private readonly outcomes: Outcomes,
    private readonly patience: Patience,
  ) {}

  /** Puts a completed turn where its follower looks for it. Returns the turns that are followed now. */
  async addTurn(info: TurnCompletedInfo, place: TurnPlace, judge: boolean): Promise<readonly ChainTurn[]> {
    const turn: ChainTurn = {
      id: info.turnId,
      session: place.session,
      narrow: info.narrow,
      client: info.client,
      judge,
      at: info.arrivedAt,
    };
    const pairs: Pair[] = [];
    if (info.chain !== undefined) {
      const entry = await this.change(chainKey(info, info.chain), (current) => addTurn(current, turn));
      pairs.push(...pairsOf(entry, turn.id));
    }
    for (const key of answerKeys(info, [info.exchange, info.response])) {
      const entry = await this.change(key, (current) => addTurn(current, turn, 'only-one'));
      pairs.push(...pairsOf(entry, turn.id));
    }
    return this.publish(pairs);
  }

  /** Puts a request with a next state where its turn is or will be. Returns the turns that are followed now. */
  async addFollower(info: TurnArrivedInfo): Promise<readonly ChainTurn[]> {
    const { nextStateRole: role, parentChain } = info;
    if (role === undefined || parentChain === undefined) return [];
    const follower: ChainFollower = {
      id: info.turnId,
      role,
      session: hintOf(info),
      narrow: info.narrow,
      client: info.client,
      at: info.arrivedAt,
    };
    const key = chainKey(info, parentChain);
    const entry = await this.change(key, (current) => addFollower(current, follower));
    // What an answer replied to is gone after a compaction, and only then.
    const [answer] = answerKeys(info, [info.parentResponse, info.parentExchange]);
    const isPlaced = parentOf(entry, follower) !== null && !hasWithdrawn(entry, follower.id);
    return this.publish(
      isPlaced || answer === undefined
        ? pairsOf(entry, follower.id)
        : await this.fallBack(follower, { chain: key, answer }),
    );
  }

  /**
   * A client that cut its history continues no known conversation: then its last answer leads to the turn. The exact
   * turn may just be late, so it gets some time; the follower leaves the first key before it stands under the second.
   */
  private async fallBack(
    follower: ChainFollower,
    keys: { readonly chain: string; readonly answer: string },
  ): Promise<readonly Pair[]> {
    await this.patience.find(async () => {
      const entry = (await this.stores.chains.get(keys.chain))?.value;
      return entry !== undefined && (hasWithdrawn(entry, follower.id) || parentOf(entry, follower) !== null)
        ? entry
        : null;
    });
    const left = await this.change(keys.chain, (current) => withdraw(addFollower(current, follower), follower));
    if (!hasWithdrawn(left, follower.id)) return pairsOf(left, follower.id);
    const entry = await this.change(keys.answer, (current) => addFollower(current, follower, 'only-one'));
    return pairsOf(entry, follower.id);
  }

  private change(key: string, change: (entry: ChainEntry) => ChainEntry): Promise<ChainEntry> {
    return this.stores.chains.update(key, (stored) => {
      const next = change(stored ?? EMPTY_ENTRY);
      return { next: next === stored ? null : next, result: next };
    });
  }

  private async publish(pairs: readonly Pair[]): Promise<readonly ChainTurn[]> {
    for (const { turn, follower } of pairs) {
      await this.outcomes.follow({
        turnId: turn.id,
        session: turn.session,
        role: follower.role,
        nextTurnId: follower.id,
      });
    }
    return pairs.map(({ turn }) => turn);
  }
}
