import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { SAMPLE_SCHEMA_VERSION } from '@app/sample';

export const MANIFEST_FILE = 'manifest.json';

const FileEntry = Type.Object({ path: Type.String({ pattern: '^[-\\w.]+$' }), sha256: Type.String() });

const ManifestSchema = Type.Object({
  format: Type.Literal('openclaw-rl.batches'),
  version: Type.Literal(1),
  sample_schema_version: Type.Integer({ minimum: 1 }),
  batches: Type.Array(
    Type.Object({
      batch: Type.Integer({ minimum: 1 }),
      samples: Type.Integer({ minimum: 1 }),
      turn_ids: Type.Array(Type.String()),
      /** Lowest and highest policy version that made its answers. */
      policy_versions: Type.Tuple([Type.Integer(), Type.Integer()]),
      mean_score: Type.Number(),
      written_at: Type.String(),
      jsonl: Type.Optional(FileEntry),
      parquet: Type.Optional(FileEntry),
    }),
  ),
});

/** What a folder of batches holds. Only what stands here counts: a file beside it is one that was not finished. */
export type Manifest = Static<typeof ManifestSchema>;
export type BatchEntry = Manifest['batches'][number];

/** Thrown for a manifest that is none of ours, or of a newer version. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

export const emptyManifest = (): Manifest => ({
  format: 'openclaw-rl.batches',
  version: 1,
  sample_schema_version: SAMPLE_SCHEMA_VERSION,
  batches: [],
});

/** @throws ManifestError */
export const parseManifest = (json: string): Manifest => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ManifestError(`${MANIFEST_FILE} is not JSON`, { cause });
  }
  if (Value.Check(ManifestSchema, value)) return value;
  const first = Value.Errors(ManifestSchema, value).First();
  throw new ManifestError(`${MANIFEST_FILE}: ${first?.path ?? ''} ${first?.message ?? 'is no manifest'}`);
};
