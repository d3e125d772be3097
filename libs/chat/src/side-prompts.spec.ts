import type { ChatMessage } from './chat-message';
import {
  answers,
  calls,
  CONTINUE,
  HEARTBEAT_TEXT,
  opens,
  prompts,
  QUEUED,
  request,
  retries,
  returns,
  runtimeLine,
  says,
} from './fixtures/openclaw-requests';
import { findSidePrompt } from './side-prompts';

const find = (...messages: readonly ChatMessage[]) => findSidePrompt({ messages: request(...messages) });

describe('findSidePrompt', () => {
  it.each([
    [HEARTBEAT_TEXT, 'heartbeat'],
    ['Read HEARTBEAT.md if it exists (workspace context). Reply HEARTBEAT_OK.', 'heartbeat'],
    ['[OpenClaw heartbeat poll]', 'heartbeat'],
    ['Run the following periodic tasks (only those due based on their intervals):\n- mail', 'heartbeat'],
    ['An async command you ran earlier has completed. The command completion details are:\n\nbuild failed', 'wake'],
    ['An async command you ran earlier completed without captured stdout/stderr. The completion details are:', 'wake'],
    ['An async command completion event was triggered, but user delivery is disabled for this run.', 'wake'],
    ['An async command completion event was triggered, but no command output was found.', 'wake'],
    ['A scheduled reminder has been triggered. The reminder content is:\n\ntea', 'wake'],
    ['A scheduled cron event was triggered, but no event content was found. Reply NO_REPLY.', 'wake'],
    ['[OpenClaw exec completion]\nDisable automatic completion turns.', 'wake'],
    ['[OpenClaw cron wake]', 'wake'],
    ['[OpenClaw session event]', 'wake'],
    ['[Subagent Context] Every subagent spawned from this session has now settled.', 'wake'],
    ['Pre-compaction memory flush. Store durable memories.', 'memory_flush'],
    ['Based on this conversation, generate a short 1-2 word filename slug (lowercase).', 'slug'],
    ['[cron:j-1 morning brief] Summarise the news', 'cron'],
    ['[Subagent Context] You are running as a subagent (depth 1/3).', 'subagent'],
    ['Continue the OpenClaw runtime event.', 'internal_event'],
    ['[Inter-session message] sourceSession=agent:forge:main', 'internal_event'],
  ])('knows a user prompt: %s', (text, kind) => {
    expect(find(prompts(text))).toBe(kind);
    expect(find(opens('hello'), answers('hi'), says(text))).toBe(kind);
    expect(find(opens(text))).toBe(kind);
  });

  it('knows a heartbeat of other words by its tool, by what is said of it, and by the words themselves', () => {
    const worded = request(opens('hello'), answers('hi'), prompts('Check the mail. Report it.'));
    const tool = (name: string) => ({ type: 'function', function: { name } });
    expect(findSidePrompt({ messages: worded, tools: [tool('exec'), null] })).toBeNull();
    expect(findSidePrompt({ messages: worded, tools: [tool('exec'), tool('heartbeat_respond')] })).toBe('heartbeat');
    expect(findSidePrompt({ messages: worded }, ['Look', 'Check the mail.'])).toBe('heartbeat');
    expect(findSidePrompt({ messages: worded }, ['\n  Check the mail.\n'])).toBe('heartbeat');
    expect(findSidePrompt({ messages: worded }, ['the mail'])).toBeNull();
    for (const gap of [' ', '\n\n']) {
      const words =
        "Use heartbeat_respond to report the wake outcome. Set notify=false when nothing needs the user's attention.";
      expect(find(prompts(`Check.${gap}${words} Set notify=true`))).toBe('heartbeat');
    }
    expect(find(says('when do you Use heartbeat_respond to report the wake outcome.'))).toBeNull();
  });

  it.each([
    ['You are a context summarization assistant. Read a conversation.', 'compaction'],
    ['Generate a concise session title (3-6 words, max 60 characters) from the first message.', 'title'],
    ['Name it. You are labeling the supplied message, not participating in its conversation.', 'title'],
    ['You are a personal assistant.\n\nPre-compaction memory flush turn. Capture memories.', 'memory_flush'],
    ['You are a personal assistant.\n\n## Subagent Context\nDepth 1', 'subagent'],
  ])('knows a system text: %s', (content, kind) => {
    for (const role of ['system', 'developer']) {
      expect(findSidePrompt({ messages: [{ role, content }, says('<conversation>')] })).toBe(kind);
    }
  });

  it.each([
    ['agent:main:subagent:5f', 'subagent'],
    ['agent:main:cron:j-1', 'cron'],
  ])('knows the session %s', (session, kind) => {
    expect(find(opens('do it', runtimeLine(session)))).toBe(kind);
  });

  it('takes a heartbeat in its tool loop as a heartbeat', () => {
    const loop = [prompts(HEARTBEAT_TEXT), calls('call1'), returns('call1', 'nothing new')];
    expect(find(opens('hello'), answers('hi'), ...loop)).toBe('heartbeat');
  });

  it('takes a heartbeat that is sent again as a heartbeat', () => {
    expect(find(opens('hello'), answers('hi'), retries(HEARTBEAT_TEXT))).toBe('heartbeat');
    expect(find(opens('hello'), answers('hi'), prompts(HEARTBEAT_TEXT), calls('c'), prompts(CONTINUE))).toBe(
      'heartbeat',
    );
  });

  it.each([
    ['a first turn', [opens('hello')]],
    ['a user turn after a heartbeat', [prompts(HEARTBEAT_TEXT), answers('NO_REPLY'), says('hello')]],
    ['a tool loop', [opens('run it'), calls('call1'), returns('call1', '[OpenClaw cron wake]')]],
    ['a marker quoted by a user', [opens(`what does "${HEARTBEAT_TEXT}" mean?`)]],
    ['a marker on a later line', [opens('look:\n[OpenClaw heartbeat poll]')]],
    ['a retry of a user turn', [opens('hello'), answers('hi'), retries('and now?')]],
    ['a user turn joined to an unanswered heartbeat', [says(`${QUEUED}\n${HEARTBEAT_TEXT}\n\nand now?`)]],
    ['content of an odd shape', [{ role: 'user', content: 7 }]],
  ])('leaves %s on the main line', (_name, messages) => {
    expect(find(...messages)).toBeNull();
  });

  it('finds nothing in no messages', () => {
    expect(findSidePrompt({ messages: [] })).toBeNull();
  });
});
