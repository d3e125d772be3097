import { setTimeout as pause } from 'node:timers/promises';
import { doorStats } from '../lib/chat-client.mjs';
import { loadExperimentLibrary, loadPocketLibrary } from '../lib/project.mjs';
import { settledTurns } from '../demo/paces.mjs';
import { startProxy } from './proxy.mjs';

const LOOK_EVERY_MS = 50;

/**
 * The trainer's door, for a trainer whose batch is what so many turns have made: all methods have had as many conversations
 * before an update, whichever share of them each can learn from. `distortion`: what is done to each batch, or null. The numbers
 * that the trainer commits with each update are kept in `updates`.
 */
export async function startBatchDoor(doorUrl, { turns, distortion, seed }) {
  const { distortBatch } = loadExperimentLibrary();
  const random = loadPocketLibrary().seededRandom(seed);
  const updates = [];
  const proxy = await startProxy(doorUrl, async ({ path, body, pass }) => {
    if (path.endsWith('/commit')) {
      const answer = await pass();
      if (answer.status === 200) updates.push(body.metrics);
      return answer;
    }
    if (path !== '/v1/samples/lease') return null;
    if (!(await isBatchComplete(doorUrl, { turns, waitMs: body.wait_ms }))) {
      return { status: 200, json: { lease_id: null, samples: [] } };
    }
    const answer = await pass({ ...body, min: 1, wait_ms: 0 });
    if (answer.status !== 200 || distortion === null) return answer;
    return { ...answer, json: { ...answer.json, samples: distortBatch(answer.json.samples, distortion, random) } };
  });
  return { ...proxy, updates };
}

async function isBatchComplete(doorUrl, { turns, waitMs }) {
  const deadline = performance.now() + waitMs;
  do {
    const stats = await doorStats(doorUrl);
    if (stats !== null && stats.waiting > 0 && settledTurns(stats) >= turns * (stats.policy_version + 1)) return true;
    await pause(LOOK_EVERY_MS);
  } while (performance.now() < deadline);
  return false;
}
