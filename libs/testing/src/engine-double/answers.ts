import { asArray, asObject, asText, type JsonObject } from './json';
import { contentText, lastMessage, withoutDecoration } from './messages';
import type { AnswerRule, ScriptedAnswer, SeenRequest } from './options';
import { encode, SPECIAL } from './tokenizer';

/** Scripted answers: a queue, each used once, and standing rules behind it. */
export class Playbook {
  private readonly queue: ScriptedAnswer[] = [];
  private readonly rules: AnswerRule[] = [];

  add(entries: readonly (ScriptedAnswer | AnswerRule)[]): void {
    for (const entry of entries) {
      if (typeof entry === 'function') this.rules.push(entry);
      else this.queue.push(entry);
    }
  }

  /** Answers in the queue that nothing has asked for yet. */
  get waiting(): number {
    return this.queue.length;
  }

  /** The first answer of the queue that fits the request, else the first rule that has one. */
  take(request: SeenRequest): ScriptedAnswer | undefined {
    if (request.isProbe) return undefined;
    const fits = (answer: ScriptedAnswer): boolean =>
      (answer.to ?? 'policy') === request.role && request.lastText.includes(answer.when ?? '');
    const at = this.queue.findIndex(fits);
    if (at >= 0) return this.queue.splice(at, 1)[0];
    for (const rule of this.rules) {
      const answer = rule(request);
      if (answer && fits(answer)) return answer;
    }
    return undefined;
  }
}

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
};

/** A value that fits a JSON schema of a tool's parameter, roughly. */
function exampleOf(schema: JsonObject): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'object') {
    const properties = asObject(schema.properties);
    return Object.fromEntries(
      asArray(schema.required).map((key) => [asText(key), exampleOf(asObject(properties[asText(key)]))]),
    );
  }
  const examples: Record<string, unknown> = { number: 1, integer: 1, boolean: true, array: [] };
  return examples[asText(schema.type)] ?? 'example';
}

/** The call of the tool that `tool_choice` demands, undefined when none is demanded. */
export function demandedCall(body: JsonObject): ScriptedAnswer | undefined {
  const wanted = asText(asObject(asObject(body.tool_choice).function).name);
  if (body.tool_choice !== 'required' && !wanted) return undefined;
  const tools = asArray(body.tools).map((tool) => asObject(asObject(tool).function));
  const tool = wanted ? tools.find(({ name }) => name === wanted) : tools[0];
  if (!tool) return undefined;
  const args = exampleOf({ type: 'object', ...asObject(tool.parameters) });
  return { toolCalls: [{ name: asText(tool.name), arguments: args as JsonObject }] };
}

/** What the policy says when nothing is scripted: a sentence about the last message. */
export function readableAnswer(body: JsonObject): ScriptedAnswer {
  const call = demandedCall(body);
  if (call) return call;
  const last = lastMessage(asArray(body.messages));
  const said = shorten(withoutDecoration(last?.text ?? ''));
  return {
    content:
      last?.role === 'tool' ? `The tool answered: “${said}”.` : `I am a stand-in for a model. You said: “${said}”.`,
  };
}

const COMPLAINT = /\b(wrong|no|should have|error|failed|fails|not what|incorrect|doesn't work|does not work)\b/i;
const PRAISE = /\b(thanks|thank you|great|perfect|works|good|excellent)\b/i;

/** Reads the next state out of the judge's prompt and finds praise or complaint in it. */
export function judgeNextState(body: JsonObject): { score: 1 | 0 | -1; reason: string; said: string } {
  const text = asArray(body.messages)
    .map((message) => contentText(asObject(message).content))
    .join('\n');
  const sections = [...text.matchAll(/<next_state\b[^>]*>([\s\S]*?)<\/next_state>/g)];
  const state = sections.at(-1)?.[1] ?? lastMessage(asArray(body.messages))?.text ?? '';
  const said = state;
  if (COMPLAINT.test(state))
    return { score: -1, reason: 'What followed shows that the answer did not do its job.', said };
  if (PRAISE.test(state)) return { score: 1, reason: 'What followed shows that the answer was accepted.', said };
  return { score: 0, reason: 'What followed says nothing about the answer.', said };
}

/** Whether the judge is asked for a hint, by the form that it is asked in. */
const asksForHint = (body: JsonObject): boolean =>
  asText(asObject(asObject(body.response_format).json_schema).name) === 'hint' ||
  asArray(body.messages).some((message) => contentText(asObject(message).content).includes('[HINT_START]'));

/** A complaint is taken for a hint. */
function hintAnswer(body: JsonObject): ScriptedAnswer {
  const { score, said } = judgeNextState(body);
  const hint = score === -1 ? `Take this into account: ${shorten(said.trim())}` : '';
  const decision = score === -1 ? 1 : -1;
  const asJson = asObject(body.response_format).type === 'json_schema';
  const reason = 'That is what followed.';
  if (asJson) return { content: JSON.stringify({ reason, decision, hint }) };
  return { content: `${reason} \\boxed{${decision}}${hint === '' ? '' : ` [HINT_START]${hint}[HINT_END]`}` };
}

/** The judge's answer when nothing is scripted: one sentence and a box, or JSON where the request asks for it. */
export function judgeAnswer(body: JsonObject): ScriptedAnswer {
  if (asksForHint(body)) return hintAnswer(body);
  const { score, reason } = judgeNextState(body);
  const asJson = asObject(body.response_format).type === 'json_schema';
  return { content: asJson ? JSON.stringify({ reason, score }) : `${reason} \\boxed{${score}}` };
}

/** The token ids of an answer in Qwen's form, the end token included. */
export function answerIds(answer: ScriptedAnswer): number[] {
  const thought = answer.reasoning === undefined ? '' : `<think>\n${answer.reasoning}\n</think>\n\n`;
  const calls = (answer.toolCalls ?? []).map(({ name, arguments: args }) => {
    const written = typeof args === 'string' ? args : JSON.stringify(args);
    return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${written}}\n</tool_call>`;
  });
  const content = [...(answer.content ? [answer.content] : []), ...calls].join('\n');
  return [...encode(thought + content), SPECIAL.imEnd];
}
