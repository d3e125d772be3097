import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@app/bus';
import { TurnSettled } from '@app/contracts';
import { parseSampleJson, sampleToFrame, type Sample } from '@app/sample';
import { sha256Of } from '../file/batch-files';
import { MANIFEST_FILE, parseManifest, type BatchEntry } from '../file/manifest';

/** Thrown when a folder of batches cannot be taken into the store. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

const readBatch = async (dir: string, { batch, jsonl, samples }: BatchEntry): Promise<Sample[]> => {
  if (jsonl === undefined) {
    throw new ImportError(`batch ${batch} has no JSONL file: only such are imported (trainer.format jsonl or both)`);
  }
  const bytes = await readFile(join(dir, jsonl.path));
  if (sha256Of(bytes) !== jsonl.sha256) throw new ImportError(`${jsonl.path} is not the file that the manifest names`);
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length !== samples) throw new ImportError(`${jsonl.path} has ${lines.length} samples, not ${samples}`);
  return lines.map((line) => parseSampleJson(JSON.parse(line)));
};

/**
 * Puts the samples of a folder into a store that holds none, where trainers can lease them. Returns their number.
 * @throws ImportError, ManifestError, SampleInvariantError, BusUnavailableError
 */
export const importBatches = async (bus: Bus, dir: string, now: () => number): Promise<number> => {
  const { batches } = parseManifest(await readFile(join(dir, MANIFEST_FILE), 'utf8'));
  const samples = (await Promise.all(batches.map((entry) => readBatch(dir, entry)))).flat();
  await bus.ready();
  const { state } = await bus.connection.current().jsm.streams.info(TurnSettled.stream);
  if (state.messages > 0) {
    throw new ImportError(`the store is not empty (it holds ${state.messages} outcomes): import into a new one`);
  }
  for (const sample of samples) {
    const { turn_id: turnId, policy_version: version, reward_source: source } = sample.metadata;
    const score = sample.reward.score;
    await bus.publish(TurnSettled, [turnId], {
      info: {
        turnId,
        session: sample.metadata.session_key,
        kind: 'sample',
        ...(source !== 'none' && (score === 1 || score === -1 || score === 0) ? { score, source } : {}),
        policyVersion: version.start,
        settledAt: now(),
      },
      // Their places in the store that they come from mean nothing here.
      ...sampleToFrame({ ...sample, index: null, group_index: null }),
    });
  }
  return samples.length;
};
