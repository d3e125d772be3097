import { parentPort, workerData } from 'node:worker_threads';
import { readModelFolder } from '../model/model-folder';
import { PromptRenderer } from '../prompt/prompt-renderer';
import type { RenderedPrompt, WorkerReply, WorkerRequest } from './messages';
import { readRequest } from './read-request';

/** The thread that renders: a prompt of an agent takes longer than serving may stand still. */
const renderer = new PromptRenderer(readModelFolder(workerData as string));

const reply = (message: WorkerReply, transfer: ArrayBuffer[] = []): void => {
  parentPort?.postMessage(message, transfer);
};

const render = ({ turnId, parent, body }: WorkerRequest & { kind: 'render' }): RenderedPrompt => {
  const { source, fields } = readRequest(JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>);
  const { json, ...prompt } = renderer.render({ turnId, parent, ...source });
  return { ...prompt, json: Uint8Array.from(Buffer.from(json, 'latin1')), fields };
};

const handleRender = (request: WorkerRequest & { kind: 'render' }): void => {
  try {
    const prompt = render(request);
    // The ids stay here as well, to be compared with the next prompt's: only their printed form is given away.
    reply({ kind: 'rendered', job: request.job, prompt }, [prompt.json.buffer as ArrayBuffer]);
  } catch (error) {
    const problem = error instanceof Error ? error.name : 'unknown error';
    reply({ kind: 'failed', job: request.job, problem });
  }
};

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.kind === 'render') handleRender(request);
  else if (request.kind === 'remember') renderer.remember(request.turnId, request.chain, request.responseIds);
  else renderer.forget(request.turnId);
});

reply({ kind: 'ready', isGrouped: renderer.isGrouped });
