import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchFormat } from '@app/config';
import type { Sample } from '@app/sample';
import type { TrainerBackend, TrainingMetrics } from '../training/trainer-backend';
import { sha256Of, toJsonl, toParquet } from './batch-files';
import { emptyManifest, MANIFEST_FILE, parseManifest, type BatchEntry, type Manifest } from './manifest';

/**
 * Writes batches to a folder, for any trainer: a JSONL or Parquet file each, and a manifest. A batch counts once it stands in
 * the manifest, which is replaced whole; a sample stands there once, even if its batch comes again after a crash.
 */
export class FileBackend implements TrainerBackend {
  readonly publish = null;
  readonly baseVersion = null;
  private manifest: Manifest = emptyManifest();
  private readonly written = new Set<string>();

  constructor(
    private readonly options: { readonly dir: string; readonly format: BatchFormat; readonly now: () => Date },
  ) {}

  /** @throws ManifestError for a folder whose manifest cannot be read */
  async prepare(): Promise<void> {
    const { dir } = this.options;
    await mkdir(dir, { recursive: true });
    const path = join(dir, MANIFEST_FILE);
    if (!existsSync(path)) return;
    this.manifest = parseManifest(await readFile(path, 'utf8'));
    for (const { turn_ids } of this.manifest.batches) for (const id of turn_ids) this.written.add(id);
  }

  async train(samples: readonly Sample[]): Promise<TrainingMetrics> {
    const fresh = samples.filter(({ metadata }) => !this.written.has(metadata.turn_id));
    if (fresh.length === 0) return { samples: 0 };
    const batch = (this.manifest.batches.at(-1)?.batch ?? 0) + 1;
    const entry = await this.write(batch, fresh);
    const manifest = { ...this.manifest, batches: [...this.manifest.batches, entry] };
    await this.replace(MANIFEST_FILE, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    this.manifest = manifest;
    for (const id of entry.turn_ids) this.written.add(id);
    return { samples: fresh.length, mean_score: entry.mean_score };
  }

  published(): null {
    // Batches go elsewhere, and weights never come from here.
    return null;
  }

  private async write(batch: number, samples: readonly Sample[]): Promise<BatchEntry> {
    const { format, now } = this.options;
    const name = `batch-${String(batch).padStart(6, '0')}`;
    const versions = samples.map(({ metadata }) => metadata.policy_version.start);
    const file = async (path: string, bytes: Buffer): Promise<{ path: string; sha256: string }> => {
      await this.replace(path, bytes);
      return { path, sha256: sha256Of(bytes) };
    };
    return {
      batch,
      samples: samples.length,
      turn_ids: samples.map(({ metadata }) => metadata.turn_id),
      policy_versions: [Math.min(...versions), Math.max(...versions)],
      mean_score: samples.reduce((sum, { reward }) => sum + reward.score, 0) / samples.length,
      written_at: now().toISOString(),
      ...(format === 'parquet' ? {} : { jsonl: await file(`${name}.jsonl`, toJsonl(samples)) }),
      ...(format === 'jsonl' ? {} : { parquet: await file(`${name}.parquet`, toParquet(samples)) }),
    };
  }

  /** Writes a file under another name, on the disk before it takes its place. */
  private async replace(name: string, bytes: Buffer): Promise<void> {
    const path = join(this.options.dir, name);
    const file = await open(`${path}.part`, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
  }
}
