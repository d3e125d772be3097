import 'reflect-metadata';
import { freePort, startEngineDouble, type EngineDoubleOptions } from '@app/testing';
import { consult } from '../support/doctor';
import { OddServer } from '../support/odd-server';
import { Opened } from '../support/opened';

const opened = new Opened();
afterEach(() => opened.close());

describe('the doctor on judge and teacher', () => {
  const engine = async (options: EngineDoubleOptions = {}) => opened.add(await startEngineDouble(options));
  const judge = (url: string, more: Record<string, string> = {}) => ({
    env: { OPENCLAW_RL_SERVER_JUDGE_BASE_URL: url, OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge', ...more },
  });

  it('asks it two questions of its own', async () => {
    const double = await engine();
    double.script(
      { to: 'judge', content: '{"reason": "thanks", "score": 1}' },
      { to: 'judge', content: '{"score": -1}' },
    );
    expect((await consult(['judge-form'], judge(double.url)))['judge-form']).toMatchObject({ status: 'ok' });
    expect(double.chats('judge').map(({ lastText }) => lastText)).toEqual([
      expect.stringContaining('Thanks, that is right.'),
      expect.stringContaining('No, that is wrong.'),
    ]);
  });

  it('shows the raw answer of one that does not keep to the form', async () => {
    const double = await engine({ jsonSchema: false });
    double.script(...[1, 2].map(() => ({ to: 'judge' as const, content: 'I liked it very much.' })));
    expect((await consult(['judge-form'], judge(double.url)))['judge-form']).toMatchObject({
      status: 'failed',
      seen: 'no verdict in its answer',
      remedy: expect.stringContaining('set judge.format, or take a stronger server.judge_model'),
      quote: 'I liked it very much.',
    });
  });

  it('tells one that is cut off, and one that gives the wrong verdict', async () => {
    const cut = await engine();
    cut.script(() => ({ to: 'judge', content: 'First I think about it for a long time', cutOffAfterTokens: 4 }));
    expect((await consult(['judge-form'], judge(cut.url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('raise judge.max_tokens'),
    });
    const wrong = await engine();
    wrong.script(() => ({ to: 'judge', content: '{"reason": "good", "score": 1}' }));
    expect((await consult(['judge-form'], judge(wrong.url)))['judge-form']).toMatchObject({
      status: 'warning',
      seen: 'it answers in the form, and gives 1 where -1 is right',
    });
  });

  it('tells a judge that is not there, refuses the key, or has no such model', async () => {
    const away = await consult(['judge-form'], judge(`http://127.0.0.1:${await freePort()}`));
    expect(away.judge).toMatchObject({ status: 'failed', remedy: expect.stringContaining('server.judge_base_url') });
    const { url } = await engine({ apiKey: 'right' });
    expect((await consult(['judge-form'], judge(url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('server.judge_api_key_env'),
    });
    const other = await opened.add(new OddServer(() => ({ status: 404, body: {} }))).start();
    expect((await consult(['judge-form'], judge(other.url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('no model "judge"'),
    });
    const noChoices = await opened.add(new OddServer(() => ({ body: { result: 1 } }))).start();
    expect((await consult(['judge-form'], judge(noChoices.url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('no OpenAI-compatible chat API'),
    });
  });

  it('tells a judge that is sick', async () => {
    const double = await engine();
    double.script(() => ({ to: 'judge', status: 500 }));
    expect((await consult(['judge-form'], judge(double.url)))['judge-form']).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining('500'),
      remedy: expect.stringMatching(/./),
    });
  });

  it('tells a teacher that is away, and one that leaves out what it was asked for', async () => {
    const [policy, judges] = [await engine(), await engine()];
    const hybrid = (teacher: string) =>
      judge(judges.url, {
        OPENCLAW_RL_SERVER_BASE_URL: policy.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
        OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
        OPENCLAW_RL_OPD_TEACHER: teacher,
        OPENCLAW_RL_OPD_TEACHER_MODEL: 'double',
      });
    const away = await consult(['teacher'], hybrid(`http://127.0.0.1:${await freePort()}`));
    expect(away.teacher).toMatchObject({
      status: 'failed',
      seen: expect.stringMatching(/^the teacher: /),
      remedy: expect.stringContaining('opd.teacher'),
    });
    const shifted = await consult(['teacher'], hybrid((await engine({ faults: ['entries_shifted'] })).url));
    expect(shifted.teacher).toMatchObject({
      status: 'failed',
      remedy: 'update the engine, or set opd.teacher to another',
    });
  });

  it('has the teacher score, and compares vocabularies', async () => {
    const policy = await engine();
    const hybrid = (url: string) =>
      judge(url, {
        OPENCLAW_RL_SERVER_BASE_URL: policy.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
        OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
        OPENCLAW_RL_OPD_TEACHER: 'prm',
      });
    const good = await consult(['teacher'], hybrid((await engine()).url));
    expect(good.teacher).toMatchObject({ status: 'ok', seen: expect.stringContaining('scores given tokens') });
    const other = await consult(['teacher'], hybrid((await engine({ faults: ['tokenize_loses_a_token'] })).url));
    expect(other.teacher).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining('otherwise than the policy'),
      remedy: expect.stringContaining("set opd.teacher to an engine with the policy's vocabulary"),
    });
    const hosted = await consult(['teacher'], hybrid((await engine({ dialect: 'openai' })).url));
    expect(hosted.teacher).toMatchObject({ status: 'failed', remedy: 'set opd.teacher to an engine that can' });
    const env = { ...hybrid(policy.url).env, OPENCLAW_RL_RL_ALGORITHM: 'binary' };
    const binary = await consult(['teacher'], { env });
    expect(binary.teacher).toMatchObject({ status: 'ok', seen: 'nobody asks for one: rl.algorithm is binary' });
  });
});
