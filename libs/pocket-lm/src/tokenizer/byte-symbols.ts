/** GPT-2's table: a printable byte stands for itself, any other for a character from U+0100 on. */
export const BYTE_SYMBOLS: readonly string[] = (() => {
  let hidden = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCodePoint(isPrintable ? byte : 256 + hidden++);
  });
})();
