/** Mean and deviation after 16 updates, of five seeds that were used for no choice: what a prototype in PyTorch, without services, came to. */
export const PROTOTYPE = [
  { method: 'binary', noise: 0.04, mean: 0.59, deviation: 0.09 },
  { method: 'opd', noise: 0.04, mean: 0.74, deviation: 0.04 },
  { method: 'hybrid', noise: 0.04, mean: 0.78, deviation: 0.03 },
  { method: 'binary', noise: 0.2, mean: 0.49, deviation: 0.09 },
  { method: 'opd', noise: 0.2, mean: 0.73, deviation: 0.06 },
  { method: 'hybrid', noise: 0.2, mean: 0.77, deviation: 0.03 },
];

export function prototypeOf({ method, noise, distortion }) {
  return distortion === null ? PROTOTYPE.find((each) => each.method === method && each.noise === noise) : undefined;
}
