import { parentPort, workerData } from 'node:worker_threads';
import { readModelFolder } from '../model/model-folder';
import { PartMaker } from '../prompt/part-maker';
import type { WorkerReply, WorkerRequest } from './messages';

/** The thread that renders and encodes: a prompt of an agent takes longer than serving may stand still. It keeps no conversation. */
const maker = new PartMaker(readModelFolder(workerData as string));

const answer = ({ kind, job, texts }: WorkerRequest): WorkerReply => {
  try {
    return kind === 'parts'
      ? { kind, job, result: texts.map((name) => maker.make(name)) }
      : { kind, job, result: texts.map((text) => maker.encode(text)) };
  } catch (error) {
    return { kind: 'failed', job, problem: error instanceof Error ? error.name : 'unknown error' };
  }
};

/** The bytes of a reply that this thread does not need any more, so that they are handed over and not copied. */
const givenAway = (reply: WorkerReply): ArrayBuffer[] =>
  reply.kind === 'parts'
    ? reply.result.flatMap((part) => (part === null ? [] : ([part.ids.buffer, part.json.buffer] as ArrayBuffer[])))
    : [];

parentPort?.on('message', (request: WorkerRequest) => {
  const reply = answer(request);
  parentPort?.postMessage(reply, givenAway(reply));
});

parentPort?.postMessage({ kind: 'ready', grouping: maker.grouping } satisfies WorkerReply);
