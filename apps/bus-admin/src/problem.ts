/** What keeps a command from being done: said in words, with what to do. Nothing has been changed unless the words say so. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
