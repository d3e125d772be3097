import { AnswerParser, type AnswerForm, type AnswerStep, type ParsedCall } from '@app/chat';
import { Detokenizer, type Vocabulary } from '@app/tokens';
import { StopText } from './stop-text';

type Json = Readonly<Record<string, unknown>>;

/** How an answer's tokens become a chat's answer. */
export interface ChatAnswerOptions {
  /** What every token stands for; null: the text is the engine's own. */
  readonly vocabulary: Vocabulary | null;
  readonly form: AnswerForm;
  readonly stopTexts: readonly string[];
  readonly stopIds: readonly number[];
  /** A new id for a tool call whose dialect writes none. */
  readonly newCallId: () => string;
}

const marksOf = ({ reasoning, tools }: AnswerForm): string[] => [
  ...(reasoning === null ? [] : [reasoning.open, reasoning.close]),
  ...(tools === null ? [] : [tools.open, ...(tools.close === null ? [] : [tools.close]), ...(tools.inner ?? [])]),
];

/** Turns the tokens of an answer into the deltas of a chat's stream. */
export class ChatAnswer {
  private readonly detokenizer: Detokenizer | null;
  private readonly stop: StopText;
  private readonly parser: AnswerParser;
  private calls = 0;

  constructor(private readonly options: ChatAnswerOptions) {
    const { vocabulary, form, stopTexts, stopIds } = options;
    this.detokenizer =
      vocabulary === null ? null : new Detokenizer(vocabulary, { shown: marksOf(form), hiddenIds: stopIds });
    this.stop = new StopText(stopTexts);
    this.parser = new AnswerParser(form);
  }

  /** Whether a tool was called so far. */
  get hasCalls(): boolean {
    return this.calls > 0;
  }

  /** @param text what the engine itself says that the tokens stand for */
  push(ids: readonly number[], text: string): Json[] {
    return this.deltas(this.parser.push(this.stop.push(this.detokenizer?.push(ids) ?? text)));
  }

  end(): Json[] {
    const rest = this.stop.push(this.detokenizer?.end() ?? '') + this.stop.end();
    return this.deltas([...this.parser.push(rest), ...this.parser.end()]);
  }

  private deltas(steps: readonly AnswerStep[]): Json[] {
    return steps.map((step) => {
      if (step.kind !== 'call')
        return step.kind === 'content' ? { content: step.text } : { reasoning_content: step.text };
      this.calls += 1;
      return { tool_calls: [this.callDelta(step.index, step.call)] };
    });
  }

  private callDelta(index: number, { id, name, arguments: args }: ParsedCall): Json {
    return { index, id: id ?? this.options.newCallId(), type: 'function', function: { name, arguments: args } };
  }
}

/** What a chat says of an answer's end. */
export const chatFinishReason = (type: string, hasCalls: boolean): string =>
  type === 'stop' && hasCalls ? 'tool_calls' : type;
