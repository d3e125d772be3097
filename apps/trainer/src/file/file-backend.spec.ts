import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import type { BatchFormat } from '@app/config';
import { buildSample, parseSampleJson, type Sample } from '@app/sample';
import { sha256Of } from './batch-files';
import { FileBackend } from './file-backend';
import { ManifestError, parseManifest } from './manifest';

const sampleOf = (turnId: string, reward: number, version = 3): Sample =>
  buildSample(
    {
      turnId,
      sessionKey: 's',
      promptIds: [1, 2],
      responseIds: [3, 4, 5],
      logProbs: [-0.1, -0.25, -1e-7],
      finishReason: 'stop',
      responseText: 'hello 😀\n',
      weightVersions: ['7'],
      policyVersion: { start: version, end: version },
      sampling: { temperature: 0.6, top_p: null, top_k: 20 },
      logProbsTempered: true,
      route: 'sglext',
    },
    { reward, source: 'votes' },
  );

describe('FileBackend', () => {
  let dir: string;
  const open = async (format: BatchFormat = 'both'): Promise<FileBackend> => {
    const backend = new FileBackend({ dir, format, now: () => new Date(0) });
    await backend.prepare();
    return backend;
  };
  const read = (name: string): Buffer => readFileSync(join(dir, name));
  const manifest = () => parseManifest(read('manifest.json').toString());

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'batches-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  it('writes each batch as JSONL and Parquet, every value as it was, and names it in the manifest', async () => {
    const samples = [sampleOf('a', 1), sampleOf('b', -1, 5)];
    const backend = await open();
    expect(await backend.train(samples)).toEqual({ samples: 2, mean_score: 0 });
    await backend.train([sampleOf('c', 1)]);

    const lines = read('batch-000001.jsonl').toString().trimEnd().split('\n');
    expect(lines.map((line) => parseSampleJson(JSON.parse(line)))).toEqual(samples);
    const bytes = read('batch-000001.parquet');
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const rows = await parquetReadObjects({ file });
    expect(rows).toMatchObject([
      { turn_id: 'a', tokens: [1, 2, 3, 4, 5], response_length: 3, loss_mask: [1, 1, 1], reward: 1, policy_version: 3 },
      { turn_id: 'b', rollout_log_probs: [-0.1, -0.25, -1e-7], reward: -1, policy_version: 5 },
    ]);
    expect(rows.map(({ sample }) => parseSampleJson(JSON.parse(sample as string)))).toEqual(samples);

    expect(manifest().batches).toMatchObject([
      {
        batch: 1,
        samples: 2,
        turn_ids: ['a', 'b'],
        policy_versions: [3, 5],
        mean_score: 0,
        written_at: '1970-01-01T00:00:00.000Z',
        jsonl: { path: 'batch-000001.jsonl', sha256: sha256Of(read('batch-000001.jsonl')) },
        parquet: { path: 'batch-000001.parquet', sha256: sha256Of(bytes) },
      },
      { batch: 2, turn_ids: ['c'] },
    ]);
  });

  it.each([
    ['jsonl', ['batch-000001.jsonl', 'manifest.json']],
    ['parquet', ['batch-000001.parquet', 'manifest.json']],
  ] as const)('writes only %s when told so', async (format, files) => {
    await (await open(format)).train([sampleOf('a', 1)]);
    expect(readdirSync(dir).sort()).toEqual(files);
  });

  it('writes no sample twice that comes again after a crash, and goes on counting', async () => {
    await (await open()).train([sampleOf('a', 1), sampleOf('b', 1)]);
    writeFileSync(join(dir, 'batch-000002.jsonl.part'), 'half');
    const restarted = await open();
    expect(await restarted.train([sampleOf('b', 1), sampleOf('c', -1)])).toEqual({ samples: 1, mean_score: -1 });
    expect(await restarted.train([sampleOf('a', 1)])).toEqual({ samples: 0 });
    expect(manifest().batches.map(({ turn_ids }) => turn_ids)).toEqual([['a', 'b'], ['c']]);
  });

  it.each(['{', '{}', '{"format":"other"}'])('refuses a folder whose manifest is %s', async (text) => {
    writeFileSync(join(dir, 'manifest.json'), text);
    await expect(open()).rejects.toThrow(ManifestError);
  });
});
