import type { Answer } from './ledger';

/** Thrown when an answer ends before it is whole, or with an error in its place. */
export class BrokenAnswerError extends Error {
  override readonly name = 'BrokenAnswerError';
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string | null;
    readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
  }[];
}

interface Chunk {
  readonly error?: { readonly code?: string };
  readonly choices?: readonly { readonly delta?: Delta; readonly message?: Delta; readonly finish_reason?: string }[];
}

/** Puts an answer together from a stream's events or from one body, the way a client does. */
export class AnswerReader {
  private text = '';
  private readonly calls = new Map<number, Call>();
  private finished = false;

  add(chunk: Chunk): void {
    if (chunk.error !== undefined) throw new BrokenAnswerError(`error event ${chunk.error.code ?? ''}`);
    const choice = chunk.choices?.[0];
    const piece = choice?.delta ?? choice?.message;
    this.text += piece?.content ?? '';
    for (const [position, call] of (piece?.tool_calls ?? []).entries()) {
      const index = call.index ?? position;
      const known = this.calls.get(index) ?? { id: '', name: '', arguments: '' };
      this.calls.set(index, {
        id: call.id ?? known.id,
        name: known.name + (call.function?.name ?? ''),
        arguments: known.arguments + (call.function?.arguments ?? ''),
      });
    }
    if (typeof choice?.finish_reason === 'string') this.finished = true;
  }

  result(): Answer {
    if (!this.finished) throw new BrokenAnswerError('no finish reason');
    return { text: this.text, toolCalls: [...this.calls.values()] };
  }
}

/** Reads a stream to its `[DONE]`; `onPiece` is called for every piece, and may throw. */
export const readStream = async (
  body: AsyncIterable<Uint8Array>,
  onPiece: () => void | Promise<void>,
): Promise<Answer> => {
  const reader = new AnswerReader();
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    await onPiece();
    const events = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.startsWith('data:') ? event.slice(5).trim() : '';
      if (data === '[DONE]') return reader.result();
      if (data !== '') reader.add(JSON.parse(data) as Chunk);
    }
  }
  throw new BrokenAnswerError('the stream ended without [DONE]');
};

export const readWhole = async (response: Response): Promise<Answer> => {
  const reader = new AnswerReader();
  reader.add((await response.json()) as Chunk);
  return reader.result();
};
