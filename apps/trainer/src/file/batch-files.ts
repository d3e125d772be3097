import { createHash } from 'node:crypto';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { sampleToJson, type Sample } from '@app/sample';

/** A sample a line, as the door hands them out. */
export const toJsonl = (samples: readonly Sample[]): Buffer =>
  Buffer.from(samples.map((sample) => `${JSON.stringify(sampleToJson(sample))}\n`).join(''));

const required = { repetition_type: 'REQUIRED' } as const;
const text = (name: string) => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...required }) as const;
const number = (name: string, type: 'INT32' | 'INT64' | 'DOUBLE') => ({ name, type, ...required }) as const;
const list = (name: string, type: 'INT32' | 'DOUBLE') =>
  [
    { name, converted_type: 'LIST', num_children: 1, ...required },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', type, ...required },
  ] as const;

/** What a trainer needs in columns; everything else of a sample is in `sample`, as JSON. */
const COLUMNS: readonly { readonly schema: readonly SchemaElement[]; readonly of: (sample: Sample) => unknown }[] = [
  { schema: [text('turn_id')], of: ({ metadata }: Sample) => metadata.turn_id },
  { schema: list('tokens', 'INT32'), of: ({ tokens }: Sample) => [...tokens] },
  { schema: [number('response_length', 'INT32')], of: (sample: Sample) => sample.response_length },
  { schema: list('loss_mask', 'INT32'), of: (sample: Sample) => [...sample.loss_mask] },
  { schema: list('rollout_log_probs', 'DOUBLE'), of: (sample: Sample) => [...sample.rollout_log_probs] },
  { schema: [number('reward', 'DOUBLE')], of: ({ reward }: Sample) => reward.score },
  { schema: [number('policy_version', 'INT32')], of: ({ metadata }: Sample) => metadata.policy_version.start },
  { schema: [text('sample')], of: (sample: Sample) => JSON.stringify(sampleToJson(sample)) },
];

/** The samples as a Parquet file. */
export const toParquet = (samples: readonly Sample[]): Buffer => {
  const bytes = parquetWriteBuffer({
    columnData: COLUMNS.map(({ schema, of }) => ({ name: schema[0]?.name ?? '', data: samples.map(of) })),
    schema: [{ name: 'root', num_children: COLUMNS.length }, ...COLUMNS.flatMap(({ schema }) => [...schema])],
  });
  return Buffer.from(bytes);
};

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
