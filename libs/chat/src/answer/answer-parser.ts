import { firstMark, openLength } from './marks';
import type { ParsedCall, ToolDialect, ToolSchemas } from './tool-dialect';

/** A step of an answer. A call comes once it is whole: half a call cannot be taken back when it turns out to be none. */
export type AnswerStep =
  | { readonly kind: 'reasoning' | 'content'; readonly text: string }
  | { readonly kind: 'call'; readonly index: number; readonly call: ParsedCall };

export interface AnswerForm {
  /** Marks around the model's thoughts; null: what looks like them is text. */
  readonly reasoning: { readonly open: string; readonly close: string } | null;
  /** The prompt has opened the thoughts already. */
  readonly startsInside: boolean;
  /** null: what looks like a call is text. */
  readonly tools: ToolDialect | null;
  readonly schemas: ToolSchemas;
}

type State = 'reasoning' | 'content' | 'call' | 'bare';

const LINE_ENDS = /^\n*/;
const LAST_LINE_ENDS = /\n*$/;

const CALL_MEMBERS: readonly (string | undefined)[] = ['name', 'type', 'function', 'parameters', 'arguments'];

/** Whether it begins like an object whose first member belongs to a call; null while the first characters do not say. */
const beginsCall = (body: string): boolean | null => {
  const head = body.trimStart().slice(0, 64);
  const key = /^\{\s*"([^"]*)"/.exec(head);
  if (key) return CALL_MEMBERS.includes(key[1]);
  return head.length < 64 && /^\{\s*("|$)/.test(head) ? null : false;
};

/**
 * Splits an answer into thoughts, content and tool calls while it arrives, wherever it is cut. Nothing of a mark is ever
 * shown, and nothing else is lost: line ends beside a mark belong to the mark, everything between marks that is no
 * well-formed call comes out as the text it is.
 */
export class AnswerParser {
  private state: State;
  /** Text behind the last mark that may still hold the beginning of one. */
  private pending = '';
  /** A call's text so far, and what stood in front of it and comes back with it if it is none. */
  private body = '';
  private before = '';
  private calls = 0;
  /** Line ends at this place belong to the mark before it. */
  private behindMark: boolean;
  /** Nothing but line ends so far: thoughts, or a call without a mark, may still begin. */
  private atStart = true;

  constructor(private readonly form: AnswerForm) {
    this.state = form.reasoning !== null && form.startsInside ? 'reasoning' : 'content';
    this.behindMark = this.state === 'reasoning';
  }

  push(text: string): AnswerStep[] {
    this.pending += text;
    const steps: AnswerStep[] = [];
    while (this.step(steps));
    return steps;
  }

  /** What is left when the answer ends. A call without its closing mark counts if it is whole. */
  end(): AnswerStep[] {
    const steps: AnswerStep[] = [];
    if (this.state === 'call' || this.state === 'bare') {
      this.body += this.pending;
      this.pending = '';
      this.closeCall('', steps);
    }
    const rest = this.behindMark ? this.pending.replace(LINE_ENDS, '') : this.pending;
    this.pending = '';
    this.show(rest, steps);
    return steps;
  }

  /** One move of the machine; false when more text is needed. */
  private step(steps: AnswerStep[]): boolean {
    if (this.state === 'bare') return this.stepBare();
    if (this.state === 'content' && this.beginsBare()) return true;
    const marks = this.marks();
    const found = firstMark(this.pending, marks);
    if (this.state === 'call') return this.stepCall(found, marks, steps);
    if (found === null) {
      this.showCertain(marks, steps);
      return false;
    }
    if (this.isMisplaced(found)) this.atStart = false;
    else this.passMark(found, steps);
    return true;
  }

  private marks(): string[] {
    const { reasoning, tools } = this.form;
    if (this.state === 'call') return tools?.close == null ? [] : [tools.close];
    if (this.state === 'reasoning')
      return reasoning === null ? [] : [reasoning.close, ...this.openAgain(reasoning.open)];
    return [...(reasoning !== null && this.atStart ? [reasoning.open] : []), ...(tools === null ? [] : [tools.open])];
  }

  /** Some models open the thoughts that the prompt has opened once more. */
  private openAgain(open: string): string[] {
    return this.form.startsInside && this.atStart ? [open] : [];
  }

  /** Thoughts open at the beginning or not at all: behind text, their mark is text. */
  private isMisplaced({ at, mark }: { at: number; mark: string }): boolean {
    return mark === this.form.reasoning?.open && this.pending.slice(0, at).replace(LINE_ENDS, '') !== '';
  }

  private passMark({ at, mark }: { at: number; mark: string }, steps: AnswerStep[]): void {
    const { reasoning } = this.form;
    const text = this.pending.slice(0, at);
    const shown = (this.behindMark ? text.replace(LINE_ENDS, '') : text).replace(LAST_LINE_ENDS, '');
    const gap = text.slice(text.length - (LAST_LINE_ENDS.exec(text)?.[0].length ?? 0));
    this.pending = this.pending.slice(at + mark.length);
    this.show(shown, steps);
    if (mark === this.form.tools?.open && this.state === 'content') {
      this.state = 'call';
      this.before = (this.behindMark && shown === '' ? '' : gap) + mark;
      this.body = '';
      return;
    }
    this.state = mark === reasoning?.open ? 'reasoning' : 'content';
    if (mark === reasoning?.close) this.atStart = false;
    this.behindMark = true;
  }

  private stepCall(found: { at: number; mark: string } | null, marks: string[], steps: AnswerStep[]): boolean {
    const end = found?.at ?? this.pending.length - openLength(this.pending, marks);
    this.body += this.pending.slice(0, end);
    this.pending = this.pending.slice(end + (found?.mark.length ?? 0));
    if (found === null) return false;
    this.closeCall(found.mark, steps);
    return true;
  }

  private beginsBare(): boolean {
    if (this.form.tools?.bare !== true || !this.atStart || !this.pending.trimStart().startsWith('{')) return false;
    this.state = 'bare';
    this.before = '';
    this.body = '';
    return true;
  }

  private stepBare(): boolean {
    this.body += this.pending;
    this.pending = '';
    const isCall = beginsCall(this.body);
    if (isCall === null) return false;
    // From here on nobody looks at it any more before it is whole, however many pieces it comes in.
    if (isCall) this.state = 'call';
    else {
      this.pending = this.body;
      this.state = 'content';
      this.atStart = false;
    }
    return true;
  }

  private closeCall(close: string, steps: AnswerStep[]): void {
    const calls = this.form.tools?.parse(this.body, this.form.schemas) ?? null;
    const text = this.before + this.body + close;
    this.state = 'content';
    this.atStart = false;
    this.behindMark = calls !== null;
    if (calls === null) this.show(text, steps);
    else for (const call of calls) steps.push({ kind: 'call', index: this.calls++, call });
  }

  /** Shows what no mark can reach any more. Line ends wait as well, since a mark behind them takes them along. */
  private showCertain(marks: string[], steps: AnswerStep[]): void {
    const text = this.behindMark ? this.pending.replace(LINE_ENDS, '') : this.pending;
    const certain = text.slice(0, text.length - openLength(text, marks));
    const waits = this.form.tools?.bare === true && this.atStart && certain.trim() === '';
    const shown = waits ? '' : certain.replace(LAST_LINE_ENDS, '');
    this.pending = text.slice(shown.length);
    this.show(shown, steps);
  }

  private show(text: string, steps: AnswerStep[]): void {
    if (text === '') return;
    this.behindMark = false;
    this.atStart = false;
    steps.push({ kind: this.state === 'reasoning' ? 'reasoning' : 'content', text });
  }
}
