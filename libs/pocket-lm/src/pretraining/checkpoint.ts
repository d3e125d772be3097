import type { AdamWState } from '../training/adamw';
import { decodeSafetensors, encodeSafetensors, SafetensorsError } from '../weights/safetensors';

/** What a pretraining run needs to go on. */
export interface Checkpoint {
  readonly parameters: Float32Array;
  readonly optimizer: AdamWState;
  /** Whatever the run depends on: a checkpoint of other settings is not gone on with. */
  readonly settings: string;
}

const tensor = (name: string, values: Float32Array): { name: string; shape: number[]; values: Float32Array } => ({
  name,
  shape: [values.length],
  values,
});

export const encodeCheckpoint = ({ parameters, optimizer, settings }: Checkpoint): Uint8Array =>
  encodeSafetensors({
    metadata: { settings, steps: String(optimizer.steps) },
    tensors: [tensor('parameters', parameters), tensor('means', optimizer.means), tensor('squares', optimizer.squares)],
  });

/** @throws SafetensorsError */
export const decodeCheckpoint = (file: Uint8Array): Checkpoint => {
  const { tensors, metadata } = decodeSafetensors(file);
  const read = (name: string): Float32Array => {
    const values = tensors.find((each) => each.name === name)?.values;
    if (values === undefined) throw new SafetensorsError(`${name} is missing`);
    return values;
  };
  return {
    parameters: read('parameters'),
    optimizer: { steps: Number(metadata.steps), means: read('means'), squares: read('squares') },
    settings: metadata.settings ?? '',
  };
};
