/** Thrown when a prompt could not be rendered: the template refuses the messages, or the worker died. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}
