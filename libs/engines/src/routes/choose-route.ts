import type { UpstreamClient } from '../upstream-client';
import type { RouteChoice } from './capture-route';
import { probeChat } from './probe-chat';
import { probeGenerate, type ProbeRenderer } from './probe-generate';

/** The engine's chat takes its sampling from the model, and only the model's folder or the settings could say it as well. */
const NO_RENDERER = 'neither server.tokenizer is set, nor all of server.temperature, server.top_p and server.top_k';

/** Routes through the chat API, best first. */
const BY_CHAT = ['sglext', 'token_ids'] as const;

export interface ChooseOptions {
  /** The model's id at the engine. */
  readonly model: string | null;
  /** What renders prompts; null where neither a model's folder nor its sampling is configured. */
  readonly renderer: ProbeRenderer | null;
}

/**
 * Finds the best way to capture turns from an engine: tries the routes in order and says what stood against each that did
 * not do. null where the engine serves no chat, so that nothing can be found out.
 *
 * @throws UpstreamUnreachableError, UpstreamTimeoutError; EngineAnswerError where the engine let go of a question
 */
export const chooseRoute = async (
  engine: UpstreamClient,
  { model, renderer }: ChooseOptions,
): Promise<RouteChoice | null> => {
  const against: string[] = [];
  for (const route of BY_CHAT) {
    const probe = await probeChat(engine, model, route);
    if (probe === null) return null;
    if (probe.works) return { route, why: against.join('; ') };
    against.push(`${route}: ${probe.why}`);
  }
  const problem = renderer === null ? NO_RENDERER : await probeGenerate(engine, model, renderer);
  if (problem === null) return { route: 'generate', why: against.join('; ') };
  return { route: 'text', why: [...against, `generate: ${problem}`].join('; ') };
};
