import type { CaptureRoute } from '@app/contracts';
import {
  chooseRoute,
  probeTempering,
  NO_PARSERS,
  readParsers,
  type EngineParsers,
  type ProbeRenderer,
  type RouteChoice,
  type UpstreamClient,
} from '@app/engines';

/** Pauses until the engine is asked again: it does not answer; it answers, and serves no chat. */
const UNREACHABLE_MS = 2000;
const UNSERVED_MS = 30_000;

export interface ProbeTarget {
  readonly client: UpstreamClient;
  readonly model: string | null;
  /** What renders prompts; null where nothing can. */
  readonly renderer: ProbeRenderer | null;
  /** Whether anything answers there. */
  readonly ping: () => Promise<boolean>;
}

/** What has been found out about an engine: how turns are captured from it, and how it takes log-probs. */
export class EngineProbe {
  /** null until it could be asked. */
  choice: RouteChoice | null = null;
  /** Whether log-probs come after the sampling temperature; null while that is not known, or cannot be found out. */
  logProbsTempered: boolean | null = null;
  /** How the engine reads what the model writes. */
  parsers: EngineParsers = NO_PARSERS;
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(
    private readonly target: ProbeTarget,
    private readonly onChoice: (choice: RouteChoice) => void,
  ) {}

  /** The best route until an engine has been asked: fields that it does not know do no harm. */
  get route(): CaptureRoute {
    return this.choice?.route ?? 'sglext';
  }

  /** Asks the engine, now or as soon as it answers. Resolves after the first attempt. */
  learn(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.running ??= this.attempt().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private async attempt(): Promise<void> {
    const choice = await this.ask();
    if (this.stopped) return;
    if (choice instanceof Object) {
      this.choice = choice;
      this.onChoice(choice);
      return;
    }
    this.timer = setTimeout(() => void this.learn(), choice === 'unserved' ? UNSERVED_MS : UNREACHABLE_MS);
    this.timer.unref();
  }

  private async ask(): Promise<RouteChoice | 'unserved' | 'unreachable'> {
    const { client, model, renderer, ping } = this.target;
    try {
      if (!(await ping())) return 'unreachable';
      const choice = await chooseRoute(client, { model, renderer });
      if (choice?.route === 'generate') this.parsers = await readParsers(client);
      this.logProbsTempered = await probeTempering(client, model);
      return choice ?? 'unserved';
    } catch {
      return 'unreachable';
    }
  }
}
