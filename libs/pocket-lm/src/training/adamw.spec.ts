import { accumulateGradients } from '../model/score';
import { someIds, tinyMachine, tinyParameters } from '../testing/tiny-model';
import { AdamW, type AdamWOptions } from './adamw';

const OPTIONS: AdamWOptions = { beta1: 0.9, beta2: 0.95, epsilon: 1e-3, decay: 0.1, maxNorm: 0.5 };
const sequence = (step: number): { ids: number[]; from: number } => ({ ids: someIds(step, 10), from: 2 });

const run = (machine: ReturnType<typeof tinyMachine>, optimizer: AdamW, steps: readonly number[]): number[] =>
  steps.map((step) => {
    const slopesOf = (): number[][] => [new Array<number>(8).fill(-1)];
    accumulateGradients(machine, [sequence(step)], { slopesOf }, optimizer);
    return optimizer.step(0.01);
  });

describe('AdamW', () => {
  it('steps as the formulas say, in float64', () => {
    const machine = tinyMachine(1);
    const optimizer = new AdamW(machine, OPTIONS);
    const plain = Float64Array.from(tinyParameters(1));
    const [means, squares] = [plain.map(() => 0), plain.map(() => 0)];
    const { beta1, beta2, epsilon, decay, maxNorm } = OPTIONS;
    for (let t = 1; t <= 3; t += 1) {
      const slopesOf = (): number[][] => [new Array<number>(8).fill(-1)];
      accumulateGradients(machine, [sequence(t)], { slopesOf }, optimizer);
      const gradients = Float64Array.from(optimizer.readGradients());
      const norm = Math.sqrt(gradients.reduce((sum, g) => sum + g * g, 0));
      expect(norm).toBeGreaterThan(maxNorm);
      expect(optimizer.step(0.01)).toBeCloseTo(norm, 3);
      for (const { shape, offset, count } of machine.parameters.layout.specs) {
        for (let i = offset; i < offset + count; i += 1) {
          const g = (gradients[i]! * maxNorm) / norm;
          means[i] = beta1 * means[i]! + (1 - beta1) * g;
          squares[i] = beta2 * squares[i]! + (1 - beta2) * g * g;
          const change = means[i]! / (1 - beta1 ** t) / (Math.sqrt(squares[i]! / (1 - beta2 ** t)) + epsilon);
          plain[i] = plain[i]! * (shape.length > 1 ? 1 - 0.01 * decay : 1) - 0.01 * change;
        }
      }
    }
    const gaps = machine.parameters.read().map((value, i) => Math.abs(value - plain[i]!));
    expect(Math.max(...gaps)).toBeLessThan(1e-5);
  });

  it('goes on after a restart as if there had been none', () => {
    const machine = tinyMachine(2);
    const optimizer = new AdamW(machine, OPTIONS);
    run(machine, optimizer, [1, 2]);
    const restarted = tinyMachine(3);
    restarted.parameters.write(machine.parameters.read());
    const resumed = new AdamW(restarted, OPTIONS);
    resumed.restore(optimizer.save());
    expect(run(restarted, resumed, [3, 4])).toEqual(run(machine, optimizer, [3, 4]));
    expect(restarted.parameters.read()).toEqual(machine.parameters.read());
  });

  it('makes the tokens likelier that a loss asks for', () => {
    const machine = tinyMachine(4);
    const optimizer = new AdamW(machine, { ...OPTIONS, decay: 0 });
    const steps = new Array<number>(40).fill(1);
    const slopesOf = (): number[][] => [new Array<number>(8).fill(-1)];
    const total = (): number =>
      accumulateGradients(machine, [sequence(1)], { slopesOf }, optimizer).logProbs[0]!.reduce((sum, v) => sum + v, 0);
    const before = total();
    run(machine, optimizer, steps);
    expect(total()).toBeGreaterThan(before / 4);
  });
});
