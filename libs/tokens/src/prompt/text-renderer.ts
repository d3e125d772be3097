import { LRUCache } from 'lru-cache';
import type { ChatMessage } from '@app/chat';
import { readyForTemplate, type ChatTemplate, type PromptSource } from './chat-template';

/** Stands where the next user's words would stand, to find where they begin. */
const MARK = 'zz-the-next-user-speaks-here-zz';
const NEXT: ChatMessage = { role: 'user', content: MARK };

/** A conversation in front of a group, so that the group is not rendered as a beginning. */
const STUB: readonly ChatMessage[] = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'b' },
];

const NO_TOOLS: Omit<PromptSource, 'messages'> = { tools: [], kwargs: {} };
const MOST_KEPT_CHARACTERS = 32_000_000;

const isQuery = ({ role, content }: ChatMessage): boolean =>
  role === 'user' && !(typeof content === 'string' && content.startsWith('<tool_response>'));

/** Messages in groups that begin with a user's words; what stands before the second user's belongs to the first group. */
const groupsOf = (messages: readonly ChatMessage[]): ChatMessage[][] => {
  const groups: ChatMessage[][] = [[]];
  let queries = 0;
  for (const message of messages) {
    if (isQuery(message)) {
      queries += 1;
      if (queries > 1) groups.push([]);
    }
    groups.at(-1)?.push(message);
  }
  return groups;
};

/** Conversations in which a template would show that it does not render group by group. */
const PROBES: readonly ChatMessage[][] = (() => {
  const call = { id: 'call0', type: 'function', function: { name: 'look', arguments: '{"at": "x"}' } };
  const user = (content: string): ChatMessage => ({ role: 'user', content });
  const thought = { role: 'assistant', content: 'Done.', reasoning_content: 'Hm.' };
  const toolTurn = [
    { role: 'assistant', content: '', tool_calls: [call], reasoning_content: 'Look.' },
    { role: 'tool', tool_call_id: 'call0', content: 'seen' },
    { role: 'tool', tool_call_id: 'call0', content: 'again' },
  ];
  const system = { role: 'system', content: 'Be brief.' };
  return [
    [system, user('one'), thought, user('two')],
    [user('one'), ...toolTurn, thought, user('two'), ...toolTurn, thought, user('three')],
    [system, user('one'), thought, user('two'), ...toolTurn],
    [system, user('one'), thought, user('two'), thought, user(' three '), user('four')],
  ];
})();

const PROBE_TOOLS = [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: {} } }];

/**
 * Renders a model's chat template at a cost that does not grow with the conversation: each group of messages, from one
 * user's words to the next, is rendered once and kept. Whether a template allows that is found out at the start; one that
 * does not is rendered in full every time.
 */
export class TextRenderer {
  /** Whether groups are rendered apart from each other. */
  readonly isGrouped: boolean;
  private readonly kept = new LRUCache<string, string>({
    maxSize: MOST_KEPT_CHARACTERS,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  private readonly stub: string | null;

  constructor(private readonly template: ChatTemplate) {
    this.stub = this.before(STUB, NO_TOOLS);
    this.isGrouped = this.stub !== null && this.isAlike();
  }

  /**
   * The prompt's text, in parts; what has been rendered before is the very same string again.
   * @throws InvalidContentError, or the template's own error for messages that it refuses
   */
  render(source: PromptSource): readonly string[] {
    const messages = readyForTemplate(source.messages);
    const grouped = this.isGrouped ? this.renderGroups(messages, source) : null;
    return grouped ?? [this.template.render(messages, source, true)];
  }

  /** null where a group does not stand behind the stub as it stands behind other messages. */
  private renderGroups(messages: readonly ChatMessage[], source: PromptSource): readonly string[] | null {
    const groups = groupsOf(messages);
    const [head, last] = [groups[0] ?? [], groups.at(-1) ?? []];
    if (groups.length < 2) return null;
    const { tools, kwargs } = source;
    const parts = [
      this.keep(['head', head, tools, kwargs], () => this.before(head, source)),
      ...groups.slice(1, -1).map((group) => this.keep(['closed', group, kwargs], () => this.closed(group, kwargs))),
      this.open(last, kwargs),
    ];
    return parts.every((part) => part !== null) ? parts : null;
  }

  /** The text in front of the next user's words, null where the template does not show them as they are. */
  private before(messages: readonly ChatMessage[], source: Omit<PromptSource, 'messages'>): string | null {
    const text = this.template.render([...messages, NEXT], source, false);
    const at = text.lastIndexOf(MARK);
    return at === -1 ? null : text.slice(0, at);
  }

  /** What a group adds that others follow, from where its user's words begin to where the next one's do. */
  private closed(group: readonly ChatMessage[], kwargs: PromptSource['kwargs']): string | null {
    return this.behindStub(this.before([...STUB, ...group], { tools: [], kwargs }));
  }

  private open(group: readonly ChatMessage[], kwargs: PromptSource['kwargs']): string | null {
    return this.behindStub(this.template.render([...STUB, ...group], { tools: [], kwargs }, true));
  }

  private behindStub(text: string | null): string | null {
    return this.stub !== null && text?.startsWith(this.stub) === true ? text.slice(this.stub.length) : null;
  }

  private keep(key: unknown, render: () => string | null): string | null {
    const name = JSON.stringify(key);
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const text = render();
    if (text !== null) this.kept.set(name, text);
    return text;
  }

  private isAlike(): boolean {
    try {
      return PROBES.every((messages) =>
        [[], PROBE_TOOLS].every((tools) => {
          const source = { messages, tools, kwargs: {} };
          const ready = readyForTemplate(messages);
          return this.renderGroups(ready, source)?.join('') === this.template.render(ready, source, true);
        }),
      );
    } catch {
      return false;
    }
  }
}
