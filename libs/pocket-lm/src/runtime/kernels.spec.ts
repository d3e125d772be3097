import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { normalFrom, seededRandom } from './random';
import { Arena } from './arena';

describe('kernels', () => {
  it('are those of their sources', () => {
    const script = join(__dirname, '../../kernels/build.mjs');
    expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow();
  });

  it.each([
    [1, 3, 8],
    [4, 16, 24],
    [7, 5, 16],
    [33, 64, 40],
  ])('multiply [%i, %i] by [.., %i] as plain loops do', (m, k, n) => {
    const arena = new Arena();
    const normal = normalFrom(seededRandom(m));
    const [a, b] = [Array.from({ length: m * k }, normal), Array.from({ length: k * n }, normal)];
    const [at, bt, ct] = [arena.allocate(m * k), arena.allocate(k * n), arena.allocateZeros(m * n)];
    arena.floats(at, m * k).set(a);
    arena.floats(bt, k * n).set(b);
    arena.kernels.matmul(at, bt, ct, m, k, n, false);
    arena.kernels.matmul(at, bt, ct, m, k, n, true);
    arena.floats(ct, m * n).forEach((value, i) => {
      const [row, column] = [Math.floor(i / n), i % n];
      const sum = a.slice(row * k, row * k + k).reduce((part, v, j) => part + v * b[j * n + column]!, 0);
      expect(value).toBeCloseTo(2 * sum, 4);
    });
  });
});

describe('Arena', () => {
  it('keeps what is there when it grows', () => {
    const arena = new Arena();
    const first = arena.allocate(4);
    arena.floats(first, 4).set([1, 2, 3, 4]);
    const large = arena.allocate(1_000_000);
    arena.floats(large, 1_000_000).fill(7);
    expect(Array.from(arena.floats(first, 4))).toEqual([1, 2, 3, 4]);
  });

  it('takes back what a scope allocated, also when it fails', () => {
    const arena = new Arena();
    const inside = arena.scope(() => arena.allocate(100));
    expect(() =>
      arena.scope(() => {
        arena.allocate(100);
        throw new RangeError('stop');
      }),
    ).toThrow('stop');
    expect(arena.allocate(1)).toBe(inside);
  });

  it('says so when memory is out', () => {
    expect(() => new Arena().allocate(2 ** 30)).toThrow('do not fit in memory');
  });
});
