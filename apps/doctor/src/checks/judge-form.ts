import type { Settings } from '@app/config';
import { AnswerFormat, ChatClient, EngineError, type ChatReply } from '@app/engines';
import { planPools } from '@app/pools';
import { adviceFor, adviceForForm, verdictQuestion, type FollowedTurn } from '@app/voting';
import type { Check } from '../check';
import { failed, ok, warning, worstOf, type Finding } from '../finding';
import type { Visit } from '../visit';

const QUOTED = 600;

/** What a user says of a right answer, and the verdict that nobody should doubt. */
interface Reaction {
  readonly said: string;
  readonly expected: 1 | -1;
}

const REACTIONS: readonly Reaction[] = [
  { said: 'Thanks, that is right.', expected: 1 },
  { said: 'No, that is wrong. I asked for the answer in words: please do it again.', expected: -1 },
];

const turnWith = (said: string): FollowedTurn => ({
  messages: [{ role: 'user', content: 'What is 3 + 4?' }],
  response: { role: 'assistant', content: '3 + 4 = 7' },
  nextState: [{ role: 'user', content: said }],
  role: 'user',
});

interface Verdict {
  readonly reply: ChatReply;
  /** null: not in the form. */
  readonly score: number | null;
}

/** What to say of a judge's verdict on one of the doctor's own conversations. */
export const judgeVerdict = ({ reply, score }: Verdict, expected: number): Finding => {
  const quote = reply.text.slice(0, QUOTED);
  if (score === null) return { ...failed('no verdict in its answer', adviceForForm(reply)), quote };
  if (score === expected) return ok('it answers in the form, and as it should');
  const seen = `it answers in the form, and gives ${score} where ${expected} is right`;
  return { ...warning(seen, 'rewards would teach the wrong thing: take a stronger server.judge_model'), quote };
};

/** A judge as the judging service asks it: one that does not keep to the schema is asked in words from then on. */
class Judge {
  private readonly format: AnswerFormat;

  constructor(
    private readonly client: ChatClient,
    private readonly settings: Settings['judge'],
  ) {
    this.format = new AnswerFormat(settings.format);
  }

  async verdictOn(reaction: Reaction): Promise<Verdict> {
    const { maxTokens, temperature } = this.settings;
    const question = verdictQuestion(turnWith(reaction.said));
    const { form, reply } = await this.format.ask((asked) =>
      this.client.ask(
        {
          messages: question.messages(asked),
          maxTokens,
          temperature,
          ...(asked === 'json_schema' ? { responseFormat: question.schema } : {}),
        },
        new AbortController().signal,
      ),
    );
    const score = reply.finishReason === 'length' ? null : question.read(form, reply.text);
    if (score !== null || form === 'boxed') return { reply, score };
    this.format.ignored();
    return this.format.current === form ? { reply, score } : this.verdictOn(reaction);
  }
}

const lookAt = async (url: string, { server, judge }: Settings): Promise<Finding> => {
  const model = server.judgeModel ?? '';
  const timeoutMs = judge.timeoutS * 1000;
  const asked = new Judge(new ChatClient({ baseUrl: url, apiKey: server.judgeApiKey, model, timeoutMs }), judge);
  try {
    const findings: Finding[] = [];
    for (const reaction of REACTIONS) {
      findings.push(judgeVerdict(await asked.verdictOn(reaction), reaction.expected));
    }
    return worstOf(findings);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const advice = adviceFor(error, { model, host: new URL(url).host });
    return failed(error.message, advice ?? 'look at its log');
  }
};

const look = async ({ settings }: Visit): Promise<Finding> =>
  worstOf(await Promise.all(planPools(settings).judgeUrls.map((url) => lookAt(url, settings))));

export const judgeFormCheck: Check = { id: 'judge-form', title: "judge's verdicts", needs: ['judge'], look };
