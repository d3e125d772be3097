/** A tile of four rows and eight columns of the product: eight sums stay in registers. */
function fourRows(a: usize, b: usize, c: usize, k: i32, widthC: usize, accumulate: bool): void {
  const widthA = <usize>k << 2;
  let s00 = f32x4.splat(0), s01 = f32x4.splat(0);
  let s10 = f32x4.splat(0), s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0), s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0), s31 = f32x4.splat(0);
  for (let i = 0; i < k; i++) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    const a0 = v128.load32_splat(a);
    s00 = f32x4.add(s00, f32x4.mul(a0, b0));
    s01 = f32x4.add(s01, f32x4.mul(a0, b1));
    const a1 = v128.load32_splat(a + widthA);
    s10 = f32x4.add(s10, f32x4.mul(a1, b0));
    s11 = f32x4.add(s11, f32x4.mul(a1, b1));
    const a2 = v128.load32_splat(a + 2 * widthA);
    s20 = f32x4.add(s20, f32x4.mul(a2, b0));
    s21 = f32x4.add(s21, f32x4.mul(a2, b1));
    const a3 = v128.load32_splat(a + 3 * widthA);
    s30 = f32x4.add(s30, f32x4.mul(a3, b0));
    s31 = f32x4.add(s31, f32x4.mul(a3, b1));
    a += 4;
    b += widthC;
  }
  storeTile(c, s00, s01, accumulate);
  storeTile(c + widthC, s10, s11, accumulate);
  storeTile(c + 2 * widthC, s20, s21, accumulate);
  storeTile(c + 3 * widthC, s30, s31, accumulate);
}

function oneRow(a: usize, b: usize, c: usize, k: i32, widthC: usize, accumulate: bool): void {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0);
  for (let i = 0; i < k; i++) {
    const a0 = v128.load32_splat(a);
    s0 = f32x4.add(s0, f32x4.mul(a0, v128.load(b)));
    s1 = f32x4.add(s1, f32x4.mul(a0, v128.load(b, 16)));
    a += 4;
    b += widthC;
  }
  storeTile(c, s0, s1, accumulate);
}

@inline
function storeTile(c: usize, s0: v128, s1: v128, accumulate: bool): void {
  v128.store(c, accumulate ? f32x4.add(v128.load(c), s0) : s0);
  v128.store(c, accumulate ? f32x4.add(v128.load(c, 16), s1) : s1, 16);
}

/**
 * c[m, n] = a[m, k] · b[k, n], or added to what is there; n is a multiple of 8. Each value is summed in the order of k,
 * whatever m is: a row of a large batch comes out as it does alone, bit by bit.
 */
export function matmul(a: usize, b: usize, c: usize, m: i32, k: i32, n: i32, accumulate: bool): void {
  const widthA = <usize>k << 2, widthC = <usize>n << 2;
  for (let column: usize = 0; column < widthC; column += 32) {
    let row = 0;
    for (; row + 4 <= m; row += 4) {
      fourRows(a + <usize>row * widthA, b + column, c + <usize>row * widthC + column, k, widthC, accumulate);
    }
    for (; row < m; row++) {
      oneRow(a + <usize>row * widthA, b + column, c + <usize>row * widthC + column, k, widthC, accumulate);
    }
  }
}

/** to[columns, rows] = from[rows, columns], in blocks that stay in the cache. */
export function transpose(from: usize, to: usize, rows: i32, columns: i32): void {
  for (let row = 0; row < rows; row += 16) {
    const endRow = min(row + 16, rows);
    for (let column = 0; column < columns; column += 16) {
      const endColumn = min(column + 16, columns);
      for (let j = column; j < endColumn; j++) {
        for (let i = row; i < endRow; i++) {
          store<f32>(to + (<usize>(j * rows + i) << 2), load<f32>(from + (<usize>(i * columns + j) << 2)));
        }
      }
    }
  }
}
