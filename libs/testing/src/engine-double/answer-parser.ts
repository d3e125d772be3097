import { firstMarker, heldBackLength } from './held-back';

/** One step of a parsed answer. A tool call's first delta carries its name, later ones pieces of its arguments. */
export type AnswerDelta =
  { kind: 'reasoning' | 'content'; text: string } | { kind: 'tool'; index: number; name?: string; arguments: string };

export interface AnswerParserOptions {
  /** Take `<think>…</think>` out as reasoning. */
  reasoning: boolean;
  /** Take `<tool_call>{json}</tool_call>` out as tool calls. */
  tools: boolean;
}

const THINK = '<think>';
const END_THINK = '</think>';
const CALL = '<tool_call>';
const END_CALL = '</tool_call>';

const CALL_HEAD = /^\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*(?=\S)/;

/** Splits the text of an answer into reasoning, content and tool calls while it arrives (Qwen's and Hermes' form). */
export class AnswerParser {
  private state: 'content' | 'reasoning' | 'call' = 'content';
  private pending = '';
  private trimStart = false;
  private reasoningPossible: boolean;
  private call = '';
  private sentArguments: number | undefined;
  private calls = 0;

  constructor(private readonly options: AnswerParserOptions) {
    this.reasoningPossible = options.reasoning;
  }

  push(text: string): AnswerDelta[] {
    this.pending += text;
    const deltas: AnswerDelta[] = [];
    for (;;) {
      const markers = this.markers();
      const found = firstMarker(this.pending, markers);
      if (!found) break;
      deltas.push(...this.take(this.pending.slice(0, found.at), true), ...this.switchAt(found.marker));
      this.pending = this.pending.slice(found.at + found.marker.length);
    }
    const certain = this.pending.length - heldBackLength(this.pending, this.heldBack());
    const ready = this.pending.slice(0, certain);
    this.pending = this.pending.slice(certain);
    return [...deltas, ...this.take(ready, false)];
  }

  /** What is left when the answer ends, an unfinished tool call included. */
  end(): AnswerDelta[] {
    const rest = this.pending;
    this.pending = '';
    if (this.state !== 'call') return this.take(rest, this.state === 'reasoning');
    this.call += rest;
    return this.sentArguments === undefined
      ? [{ kind: 'content', text: CALL + this.call }]
      : this.argumentsUpTo(this.call.length);
  }

  private markers(): string[] {
    if (this.state === 'reasoning') return [END_THINK];
    if (this.state === 'call') return [END_CALL];
    return [...(this.reasoningPossible ? [THINK] : []), ...(this.options.tools ? [CALL] : [])];
  }

  /** Line ends before a marker belong to the form, not to the text: they wait as well. */
  private heldBack(): string[] {
    const markers = this.markers();
    return this.state === 'call' ? markers : markers.flatMap((marker) => [marker, `\n${marker}`, `\n\n${marker}`]);
  }

  private switchAt(marker: string): AnswerDelta[] {
    if (marker === THINK || marker === END_THINK) {
      this.state = marker === THINK ? 'reasoning' : 'content';
      this.reasoningPossible = false;
      this.trimStart = true;
      return [];
    }
    if (marker === CALL) {
      this.state = 'call';
      this.call = '';
      this.sentArguments = undefined;
      return [];
    }
    this.state = 'content';
    this.trimStart = true;
    return this.closeCall();
  }

  private take(text: string, beforeMarker: boolean): AnswerDelta[] {
    if (this.state === 'call') return this.takeCall(text, beforeMarker);
    let shown = this.trimStart ? text.replace(/^\n+/, '') : text;
    if (beforeMarker) shown = shown.replace(/\n+$/, '');
    if (shown === '') return [];
    this.trimStart = false;
    this.reasoningPossible = false;
    return [{ kind: this.state, text: shown }];
  }

  private takeCall(text: string, complete: boolean): AnswerDelta[] {
    this.call += text;
    const deltas: AnswerDelta[] = [];
    const head = CALL_HEAD.exec(this.call);
    if (this.sentArguments === undefined && head) {
      this.sentArguments = head[0].length;
      const name = JSON.parse(head[1] ?? '""') as string;
      deltas.push({ kind: 'tool', index: this.calls++, name, arguments: '' });
    }
    // The last brace closes the call itself; which one is the last is known at the end only.
    const tail = /\s*\}?\s*$/.exec(this.call)?.index ?? this.call.length;
    return complete || this.sentArguments === undefined ? deltas : [...deltas, ...this.argumentsUpTo(tail)];
  }

  private closeCall(): AnswerDelta[] {
    if (this.sentArguments === undefined) return [{ kind: 'content', text: CALL + this.call + END_CALL }];
    return this.argumentsUpTo(/\s*\}\s*$/.exec(this.call)?.index ?? this.call.length);
  }

  private argumentsUpTo(end: number): AnswerDelta[] {
    const from = this.sentArguments ?? 0;
    if (end <= from) return [];
    this.sentArguments = end;
    return [{ kind: 'tool', index: this.calls - 1, arguments: this.call.slice(from, end) }];
  }
}
