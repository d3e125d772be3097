/**
 * Length of the end of `text` that could be the beginning of one of the markers, and must therefore wait for more text.
 * A complete marker does not count.
 */
export function heldBackLength(text: string, markers: readonly string[]): number {
  const longest = Math.max(0, ...markers.map((marker) => marker.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (markers.some((marker) => marker.length > length && marker.startsWith(end))) return length;
  }
  return 0;
}

/** The marker that comes first in `text`, or undefined. */
export function firstMarker(text: string, markers: readonly string[]): { at: number; marker: string } | undefined {
  return markers
    .map((marker) => ({ at: text.indexOf(marker), marker }))
    .filter(({ at, marker }) => at >= 0 && marker !== '')
    .sort((a, b) => a.at - b.at || b.marker.length - a.marker.length)[0];
}
