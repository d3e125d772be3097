import type { Batch, ForwardRecord, LayerRecord } from './forward';
import type { Machine } from './machine';
import type { LayerOffsets } from './parameters';

/** Where the gradients lie: a block laid out as the parameters'. */
export interface Gradients {
  at(offset: number): number;
}

interface Linear {
  readonly x: number;
  readonly weight: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly dWeight: number;
}

/** dx = dy · Wᵀ, and dW += xᵀ · dy. */
const linearBackward = (machine: Machine, linear: Linear, dy: number, into: { dx: number; rows: number }): void => {
  const { arena } = machine;
  const { kernels } = arena;
  const { x, weight, inputs, outputs, dWeight } = linear;
  const { dx, rows } = into;
  arena.scope(() => {
    const turned = arena.allocate(inputs * Math.max(outputs, rows));
    kernels.transpose(weight, turned, inputs, outputs);
    kernels.matmul(dy, turned, dx, rows, outputs, inputs, false);
    kernels.transpose(x, turned, rows, inputs);
    kernels.matmul(turned, dy, dWeight, inputs, rows, outputs, true);
  });
};

const attendBackward = (
  machine: Machine,
  batch: Batch,
  record: LayerRecord,
  { dAttended, dQkv }: { dAttended: number; dQkv: number },
): void => {
  const { arena, config, headSize, cosines, sines } = machine;
  const { kernels } = arena;
  const { width, heads } = config;
  const stride = 3 * width;
  for (const { start, rows } of batch.spans) {
    const q = record.qkv + start * stride * 4;
    const dq = dQkv + start * stride * 4;
    arena.scope(() => {
      const scores = arena.allocate(2 * (rows + 4));
      kernels.attendBackward(
        q,
        q + width * 4,
        q + 2 * width * 4,
        record.attended + start * width * 4,
        record.logSums + start * heads * 4,
        scores,
        dAttended + start * width * 4,
        dq,
        dq + width * 4,
        dq + 2 * width * 4,
        rows,
        heads,
        headSize,
        stride,
      );
    });
    kernels.rotate(dq, cosines, sines, rows, 0, heads, headSize, stride, -1);
    kernels.rotate(dq + width * 4, cosines, sines, rows, 0, heads, headSize, stride, -1);
  }
};

interface LayerBack {
  readonly offsets: LayerOffsets;
  readonly record: LayerRecord;
  /** Gradient at the layer's output; becomes the one at its input, in place. */
  readonly flow: number;
}

const layerBackward = (machine: Machine, batch: Batch, gradients: Gradients, back: LayerBack): void => {
  const { arena, config, parameters } = machine;
  const { kernels } = arena;
  const { width, hidden } = config;
  const { rows } = batch;
  const { offsets, record, flow } = back;
  const linear = (x: number, offset: number, inputs: number, outputs: number): Linear => ({
    x,
    weight: parameters.at(offset),
    inputs,
    outputs,
    dWeight: gradients.at(offset),
  });
  const normBackward = (x: number, inverse: number, offset: number, dy: number): void => {
    const gain = parameters.at(offset);
    kernels.normalizeBackward(x, gain, inverse, dy, flow, gradients.at(offset), rows, width);
  };
  arena.scope(() => {
    const inside = arena.allocate(rows * hidden);
    const normed = arena.allocate(rows * width);
    linearBackward(machine, linear(record.mlpActive, offsets.mlpOut, hidden, width), flow, { dx: inside, rows });
    kernels.geluBackward(record.mlpIn, inside, rows * hidden);
    linearBackward(machine, linear(record.mlpNormed, offsets.mlpIn, width, hidden), inside, { dx: normed, rows });
    normBackward(record.middle, record.middleInverse, offsets.mlpNorm, normed);

    const dAttended = arena.allocate(rows * width);
    linearBackward(machine, linear(record.attended, offsets.attentionOut, width, width), flow, { dx: dAttended, rows });
    const dQkv = arena.allocateZeros(rows * 3 * width);
    attendBackward(machine, batch, record, { dAttended, dQkv });
    linearBackward(machine, linear(record.normed, offsets.qkv, width, 3 * width), dQkv, { dx: normed, rows });
    normBackward(record.input, record.inputInverse, offsets.attentionNorm, normed);
  });
};

/** Adds the parameters' gradients, from the one at the final hidden rows, to what is in `gradients`. */
export const runBackward = (
  machine: Machine,
  batch: Batch,
  { record, dHidden }: { record: ForwardRecord; dHidden: number },
  gradients: Gradients,
): void => {
  const { arena, config, parameters } = machine;
  const { kernels } = arena;
  const { layout } = parameters;
  const { rows } = batch;
  arena.scope(() => {
    const flow = arena.allocateZeros(rows * config.width);
    const { last, lastInverse } = record;
    const gain = parameters.at(layout.finalNorm);
    const dGain = gradients.at(layout.finalNorm);
    kernels.normalizeBackward(last, gain, lastInverse, dHidden, flow, dGain, rows, config.width);
    layout.layers.toReversed().forEach((offsets, back) => {
      const layer = record.layers[layout.layers.length - 1 - back];
      if (layer !== undefined) layerBackward(machine, batch, gradients, { offsets, record: layer, flow });
    });
    kernels.scatterRows(flow, batch.ids, gradients.at(layout.embedding), rows, config.width);
  });
};
