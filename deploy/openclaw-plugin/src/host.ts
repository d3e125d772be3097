// What this plugin uses of OpenClaw 2026.9.6, as its plugin SDK declares it (docs/plugins of the package). Its own types come with
// 650 MB of package.

/** One model call, before it is sent. */
export interface CallContext {
  readonly tools?: readonly unknown[];
  readonly [field: string]: unknown;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export type StreamFn = (model: unknown, context: CallContext, options?: CallOptions) => unknown;

interface StreamContext {
  readonly streamFn?: StreamFn;
}

/** A provider's hooks for its model calls. Headers of `options` win over those of the turn state. */
export interface Provider {
  readonly id: string;
  readonly label: string;
  readonly auth: readonly never[];
  readonly resolveTransportTurnState: (context: { readonly sessionId?: string }) => { headers: Record<string, string> };
  readonly wrapStreamFn: (context: StreamContext) => StreamFn | undefined;
  readonly wrapSimpleCompletionStreamFn: (context: StreamContext) => StreamFn | undefined;
}

/** Why a run began, and from whom its words are; each is missing where the host does not know. */
export interface RunContext {
  readonly runId?: string;
  readonly sessionId?: string;
  readonly trigger?: string;
  readonly inputProvenance?: { readonly kind?: string };
}

export interface SessionEnd {
  readonly sessionId: string;
  readonly reason?: string;
  readonly nextSessionId?: string;
}

export interface ReplySending {
  readonly payload: { readonly text?: string; readonly [field: string]: unknown };
  readonly kind: string;
  readonly sessionKey?: string;
  readonly runId?: string;
  /** Which model has made it, and at what price; missing for what no model has made, and now and then besides. */
  readonly usageState?: object;
}

export interface ReplyChange {
  readonly payload: ReplySending['payload'];
}

/** The hooks that are listened to: what happened, and the run that it happened in. */
export interface Hooks {
  before_prompt_build: (event: unknown, context: RunContext) => void;
  before_compaction: (event: unknown, context: RunContext) => void;
  after_compaction: (event: unknown, context: RunContext) => void;
  session_end: (event: SessionEnd) => Promise<void>;
  reply_payload_sending: (event: ReplySending) => ReplyChange | undefined;
}

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  readonly handler: (context: { readonly sessionId?: string; readonly args?: string }) => Promise<{ text: string }>;
}

export interface PluginApi {
  readonly config: {
    readonly models?: { readonly providers?: Readonly<Record<string, { baseUrl?: unknown; apiKey?: unknown }>> };
  };
  readonly pluginConfig?: { readonly remindEvery?: unknown };
  readonly logger: { warn(text: string): void };
  registerProvider(provider: Provider): void;
  registerCommand(command: Command): void;
  on<Name extends keyof Hooks>(name: Name, handler: Hooks[Name]): void;
}

/** The provider block that `npm start` prints. */
export const PROVIDER_ID = 'openclaw-rl';
