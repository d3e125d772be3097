export { adamw, sumSquares } from './adamw';
export { attend, attendBackward, rotate } from './attention';
export { matmul, transpose } from './matmul';
export { add, gatherRows, gelu, geluBackward, normalize, normalizeBackward, scatterRows } from './rows';
export { scoreTargets, scoreTargetsBackward } from './softmax';
