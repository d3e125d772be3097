import { EngineHealth, type HealthOptions } from './engine-health';
import { chooseByKey } from './rendezvous';

/** `ok`; `sick`: it fails again and again; `stale`: it serves other weights than it should. */
export const ENGINE_CONDITIONS = ['ok', 'sick', 'stale'] as const;
export type EngineCondition = (typeof ENGINE_CONDITIONS)[number];

/** One engine of several, as it is now. */
export interface EngineState {
  readonly name: string;
  readonly condition: EngineCondition;
  /** Whether it gets requests. The last engines do, whatever their condition. */
  readonly inRotation: boolean;
  /** The engine's name of its weights; null where it has none to tell, or has not been asked. */
  readonly weights: string | null;
  /** The weights that it should serve; null: any. */
  readonly expected: string | null;
}

export interface RotationOptions extends HealthOptions {
  /** false: somebody else hands requests out, and all are only watched. */
  readonly ejects: boolean;
}

const PREFERENCES: readonly (readonly EngineCondition[])[] = [['ok'], ['stale'], ENGINE_CONDITIONS];

interface Member<Engine> {
  readonly engine: Engine;
  readonly health: EngineHealth;
  weights: string | null;
  told: EngineState | null;
}

/**
 * Which of a pool's engines get requests: those that are in order and serve the right weights. Where there is none, those that
 * are in order; where there is none either, all: better a wrong engine than no answer.
 */
export class Rotation<Engine extends { readonly name: string }> {
  private readonly members: readonly Member<Engine>[];
  private serving: readonly [Engine, ...Engine[]];
  private expected: string | null = null;

  /** @param onChange told whenever an engine's condition or its place has changed */
  constructor(
    engines: readonly [Engine, ...Engine[]],
    private readonly options: RotationOptions,
    private readonly onChange: (state: EngineState) => void = () => undefined,
  ) {
    this.serving = engines;
    this.members = engines.map((engine) => ({ engine, health: new EngineHealth(options), weights: null, told: null }));
  }

  /** The engines that get requests. */
  get engines(): readonly [Engine, ...Engine[]] {
    return this.serving;
  }

  get states(): EngineState[] {
    return this.members.map((member) => this.stateOf(member));
  }

  /** The engine of a session. */
  choose(key: string): Engine {
    return this.serving.length === 1 ? this.serving[0] : chooseByKey(key, this.serving);
  }

  /** Another engine than the session's own; null where there is none. */
  chooseBesides(failed: Engine, key: string): Engine | null {
    const [first, ...others] = this.serving.filter((engine) => engine !== failed);
    return first === undefined ? null : chooseByKey(key, [first, ...others]);
  }

  noteCall(engine: Engine, succeeded: boolean, now: number): void {
    const { health } = this.memberOf(engine);
    const wasSick = health.isSick;
    health.noteCall(succeeded, now);
    if (health.isSick !== wasSick) this.update();
  }

  /** @param weights what it says it serves; null where it does not say */
  noteCheck(engine: Engine, check: { readonly passed: boolean; readonly weights: string | null }, now: number): void {
    const member = this.memberOf(engine);
    member.health.noteCheck(check.passed, now);
    if (check.passed) member.weights = check.weights;
    this.update();
  }

  /** Which weights are right; null: any. What engines have said before a change is forgotten. false: nothing has changed. */
  expect(weights: string | null): boolean {
    if (weights === this.expected) return false;
    this.expected = weights;
    for (const member of this.members) member.weights = null;
    this.update();
    return true;
  }

  /** Whether it was seen to serve other weights than the right ones. */
  isStale(engine: Engine): boolean {
    return this.conditionOf(this.memberOf(engine)) === 'stale';
  }

  private memberOf(engine: Engine): Member<Engine> {
    const member = this.members.find((each) => each.engine === engine);
    if (member === undefined) throw new TypeError(`engine ${engine.name} is not of this rotation`);
    return member;
  }

  private conditionOf({ health, weights }: Member<Engine>): EngineCondition {
    if (health.isSick) return 'sick';
    return this.expected !== null && weights !== null && weights !== this.expected ? 'stale' : 'ok';
  }

  private stateOf(member: Member<Engine>): EngineState {
    const { engine, weights } = member;
    const inRotation = this.serving.includes(engine);
    const condition = this.conditionOf(member);
    return { name: engine.name, condition, inRotation, weights, expected: this.expected };
  }

  private update(): void {
    const among = (conditions: readonly EngineCondition[]): Engine[] =>
      this.members.filter((each) => conditions.includes(this.conditionOf(each))).map(({ engine }) => engine);
    for (const conditions of this.options.ejects ? PREFERENCES : []) {
      const [first, ...others] = among(conditions);
      if (first === undefined) continue;
      this.serving = [first, ...others];
      break;
    }
    for (const member of this.members) this.tell(member);
  }

  private tell(member: Member<Engine>): void {
    const state = this.stateOf(member);
    const { told } = member;
    member.told = state;
    if (told === null && state.condition === 'ok') return;
    if (told?.condition === state.condition && told.inRotation === state.inRotation) return;
    this.onChange(state);
  }
}
