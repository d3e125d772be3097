import type { CallOptions, Hooks, PluginApi, Provider, RunContext, StreamFn } from './host';
import { registerHeaders } from './headers';
import { SessionNames } from './session-names';

/** OpenClaw, as far as this plugin sees it: runs the hooks, and makes calls as its transport does. */
class Host {
  private provider: Provider | null = null;
  private readonly hooks = new Map<string, (event: unknown, context: RunContext) => void>();

  constructor(readonly names = new SessionNames()) {
    const api: Partial<PluginApi> = {
      registerProvider: (provider) => {
        this.provider = provider;
      },
      on: (name, handler) => {
        this.hooks.set(name, handler as (event: unknown, context: RunContext) => void);
      },
    };
    registerHeaders(api as PluginApi, names);
  }

  run(hook: keyof Hooks, context: RunContext): void {
    this.hooks.get(hook)!({}, context);
  }

  /** Headers of a call, merged as OpenClaw merges them. */
  call(sessionId: string | undefined, tools: readonly unknown[], kind: 'agent' | 'simple' = 'agent'): object {
    let sent: CallOptions | undefined;
    const send: StreamFn = (_, __, options) => {
      sent = options;
    };
    const provider = this.provider!;
    const wrap = kind === 'agent' ? provider.wrapStreamFn : provider.wrapSimpleCompletionStreamFn;
    wrap({ streamFn: send })!({}, { tools }, { temperature: 1 });
    const state = provider.resolveTransportTurnState(sessionId === undefined ? {} : { sessionId });
    expect(sent).toMatchObject({ temperature: 1 });
    return { ...state.headers, ...sent?.headers };
  }
}

const TOOLS = [{ name: 'exec' }];

describe('headers of a model call', () => {
  it.each<[string, RunContext, string]>([
    ['a person', { trigger: 'user' }, 'main'],
    ['a person, and OpenClaw knows it', { trigger: 'user', inputProvenance: { kind: 'external_user' } }, 'main'],
    ['another session', { trigger: 'user', inputProvenance: { kind: 'inter_session' } }, 'side'],
    ['OpenClaw itself', { trigger: 'user', inputProvenance: { kind: 'internal_system' } }, 'side'],
    ['a heartbeat', { trigger: 'heartbeat' }, 'side'],
    ['a schedule', { trigger: 'cron' }, 'side'],
    ['a memory flush', { trigger: 'memory' }, 'side'],
  ])('say of a run for %s what it is', (_, context, type) => {
    const host = new Host();
    host.run('before_prompt_build', { sessionId: 's', ...context });
    expect(host.call('s', TOOLS)).toEqual({ 'X-Session-Id': 's', 'X-Turn-Type': type });
  });

  it('leave it to the gateway where nobody knows why a run was begun', () => {
    const host = new Host();
    host.run('before_prompt_build', { sessionId: 's', trigger: 'overflow' });
    expect(host.call('s', TOOLS)).toEqual({ 'X-Session-Id': 's' });
    expect(host.call('other', TOOLS)).toEqual({ 'X-Session-Id': 'other' });
    expect(host.call(undefined, TOOLS)).toEqual({});
  });

  it('call a compaction side, with tools and without, and the turn behind it main again', () => {
    const host = new Host();
    host.run('before_prompt_build', { sessionId: 's', trigger: 'user' });
    host.run('before_compaction', { sessionId: 's' });
    expect(host.call('s', TOOLS)).toMatchObject({ 'X-Turn-Type': 'side' });
    expect(host.call('s', [])).toMatchObject({ 'X-Turn-Type': 'side' });
    host.run('after_compaction', { sessionId: 's' });
    expect(host.call('s', TOOLS)).toMatchObject({ 'X-Turn-Type': 'main' });
  });

  it('do not take everything for a compaction after one that has failed, of which nobody says so', () => {
    const host = new Host();
    host.run('before_compaction', { sessionId: 's' });
    host.run('before_prompt_build', { sessionId: 's', trigger: 'user' });
    expect(host.call('s', TOOLS)).toMatchObject({ 'X-Turn-Type': 'main' });
  });

  it('call what has no tools side, and every simple completion', () => {
    const host = new Host();
    host.run('before_prompt_build', { sessionId: 's', trigger: 'user' });
    expect(host.call('s', [])).toEqual({ 'X-Session-Id': 's', 'X-Turn-Type': 'side' });
    expect(host.call('s', TOOLS, 'simple')).toEqual({ 'X-Session-Id': 's', 'X-Turn-Type': 'side' });
  });

  it('keep the name of a session that was given another id', () => {
    const host = new Host();
    host.names.goesOnAs('a', 'b');
    host.names.goesOnAs('b', 'c');
    expect(host.call('c', TOOLS)).toEqual({ 'X-Session-Id': 'a' });
  });
});
