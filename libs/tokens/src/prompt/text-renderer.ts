import type { ChatMessage } from '@app/chat';
import { readyForTemplate, type ChatTemplate, type PromptSource } from './chat-template';
import { GROUPINGS, partsOf, wholeOf, type Grouping, type PartRequest } from './part-request';

/** Stands where the next speaker's words would stand, to find where they begin. */
const MARK = 'zz-the-next-one-speaks-here-zz';

type Speaker = 'user' | 'assistant';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string, more: object = {}): ChatMessage => ({ role: 'assistant', content, ...more });

const CALLS = [{ id: 'call0', type: 'function', function: { name: 'look', arguments: '{"at": "x"}' } }];
const seen = (content: string): ChatMessage => ({ role: 'tool', tool_call_id: 'call0', content });

/** A conversation in front of a part, by who speaks first in it, so that the part is not rendered as a beginning. */
const STUBS: Readonly<Record<Speaker, readonly ChatMessage[]>> = {
  user: [user('a'), assistant('b')],
  assistant: [user('a'), assistant('', { tool_calls: CALLS }), seen('c')],
};

const NEXT: Readonly<Record<Speaker, ChatMessage>> = { user: user(MARK), assistant: assistant(MARK) };

/** Conversations in which the template shows how a speaker begins. */
const BEGINNINGS: Readonly<Record<Speaker, readonly ChatMessage[]>> = {
  user: [...STUBS.user, NEXT.user],
  assistant: [user('a'), NEXT.assistant, user('c')],
};

/** Added tokens in front of a speaker's words, by their distance: the nearest may stand behind the speaker's name. */
const OPENERS_TRIED = [0, 1];

const NOTHING: Omit<PromptSource, 'messages'> = { tools: [], kwargs: {} };

/** Conversations in which a template would show that it does not render part by part. */
const PROBES: readonly ChatMessage[][] = (() => {
  const thought = assistant('Done.', { reasoning_content: 'Hm.' });
  const step = [assistant('', { tool_calls: CALLS, reasoning_content: 'Look.' }), seen('seen'), seen('again')];
  const system = { role: 'system', content: 'Be brief.' };
  return [
    [system, user('one'), thought, user('two')],
    [user('one'), ...step, thought, user('two'), ...step, ...step, thought, user('three')],
    [system, user('one'), thought, user('two'), ...step, ...step],
    [system, user('one'), thought, user('two'), thought, user(' three '), user('four')],
  ];
})();

const PROBE_TOOLS = [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: {} } }];
const PROBE_KWARGS = [{}, { enable_thinking: false }];

/**
 * Renders a model's chat template part by part, so that what has been rendered once need not be again. Each part but the
 * first begins with an added token, so that it can be encoded by itself as well. How finely a template allows that is
 * found out at the start.
 */
export class TextRenderer {
  /** How prompts are cut for this template; null where they have to be rendered whole. */
  readonly grouping: Grouping | null;
  /** The added token at which a speaker's part begins; null where there is none. */
  private openers: Readonly<Record<Speaker, string | null>> = { user: null, assistant: null };
  /** What the stubs are rendered as, up to where the part begins. */
  private bases: Readonly<Record<Speaker, string | null>> = { user: null, assistant: null };

  /** @param borders texts that split a prompt before it is encoded: added tokens */
  constructor(
    private readonly template: ChatTemplate,
    private readonly borders: readonly string[],
  ) {
    this.grouping = GROUPINGS.find((grouping) => OPENERS_TRIED.some((place) => this.isAlike(grouping, place))) ?? null;
  }

  /**
   * A part's text; null where it does not stand behind its stub as it stands in the prompt.
   * @throws InvalidContentError, or the template's own error for messages that it refuses
   */
  render({ isHead, next, messages, ...source }: PartRequest): string | null {
    const ready = readyForTemplate(messages);
    if (isHead) return this.renderBehind([], ready, { ...source, next });
    const start = ready[0]?.role === 'assistant' ? 'assistant' : 'user';
    const text = this.renderBehind(STUBS[start], ready, { ...source, next });
    const base = this.bases[start];
    return base !== null && text?.startsWith(base) === true ? text.slice(base.length) : null;
  }

  private renderBehind(
    stub: readonly ChatMessage[],
    ready: readonly ChatMessage[],
    { next, ...source }: Omit<PartRequest, 'isHead' | 'messages'>,
  ): string | null {
    const messages = [...stub, ...ready];
    return next === null ? this.template.render(messages, source, true) : this.before(next, messages, source);
  }

  /** The text in front of what somebody says next; null where the template does not show that as it is. */
  private before(next: Speaker, messages: readonly ChatMessage[], source = NOTHING): string | null {
    const opener = this.openers[next];
    if (opener === null) return null;
    const text = this.renderOrNull([...messages, NEXT[next]], source);
    const mark = text?.lastIndexOf(MARK) ?? -1;
    const at = mark === -1 ? -1 : (text?.lastIndexOf(opener, mark) ?? -1);
    return at === -1 ? null : (text?.slice(0, at) ?? null);
  }

  private beginPartsAt(place: number): void {
    this.openers = { user: this.findOpener('user', place), assistant: this.findOpener('assistant', place) };
    this.bases = { user: this.before('user', STUBS.user), assistant: this.before('assistant', STUBS.assistant) };
  }

  private findOpener(speaker: Speaker, place: number): string | null {
    const text = this.renderOrNull(BEGINNINGS[speaker], NOTHING);
    const mark = text?.lastIndexOf(MARK) ?? -1;
    if (text === null || mark === -1) return null;
    const head = text.slice(0, mark);
    const ends = this.borders.map((border) => ({ border, end: head.lastIndexOf(border) + border.length }));
    const nearest = ends.filter(({ border, end }) => end >= border.length).sort((a, b) => b.end - a.end);
    return nearest[place]?.border ?? null;
  }

  /** Templates refuse conversations of a kind that their models do not know. */
  private renderOrNull(messages: readonly ChatMessage[], source: Omit<PromptSource, 'messages'>): string | null {
    try {
      return this.template.render(messages, source, false);
    } catch {
      return null;
    }
  }

  private isAlike(grouping: Grouping, place: number): boolean {
    this.beginPartsAt(place);
    try {
      return PROBES.every((messages) =>
        [[], PROBE_TOOLS].every((tools) =>
          PROBE_KWARGS.every((kwargs) => {
            const source = { messages, tools, kwargs };
            const parts = partsOf(source, grouping).map((part) => this.render(part));
            return !parts.includes(null) && parts.join('') === this.render(wholeOf(source));
          }),
        ),
      );
    } catch {
      return false;
    }
  }
}
