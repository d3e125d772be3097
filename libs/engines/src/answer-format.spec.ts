import { AnswerFormat } from './answer-format';
import { EngineStatusError } from './engine-errors';

/** A server that refuses the given forms with a status. */
const server = (refusals: Partial<Record<'json_schema' | 'boxed', number>>) => {
  const asked: string[] = [];
  const ask = (form: 'json_schema' | 'boxed'): Promise<string> => {
    asked.push(form);
    const status = refusals[form];
    return status === undefined ? Promise.resolve(form) : Promise.reject(new EngineStatusError(status));
  };
  return { ask, asked };
};

describe('AnswerFormat', () => {
  it.each([400, 422])('falls back to words after status %d, and remembers', async (status) => {
    const format = new AnswerFormat('auto');
    const { ask, asked } = server({ json_schema: status });
    await expect(format.ask(ask)).resolves.toEqual({ form: 'boxed', reply: 'boxed' });
    await format.ask(ask);
    expect(asked).toEqual(['json_schema', 'boxed', 'boxed']);
  });

  it('goes on with the schema when words are refused as well: the schema was not the fault', async () => {
    const format = new AnswerFormat('auto');
    await expect(format.ask(server({ json_schema: 400, boxed: 400 }).ask)).rejects.toThrow(EngineStatusError);
    expect(format.current).toBe('json_schema');
  });

  it('does not take an outage for a refusal', async () => {
    const { ask, asked } = server({ json_schema: 503 });
    await expect(new AnswerFormat('auto').ask(ask)).rejects.toMatchObject({ status: 503 });
    expect(asked).toEqual(['json_schema']);
  });

  it('turns to words when the schema was ignored', () => {
    const format = new AnswerFormat('auto');
    format.ignored();
    expect(format.current).toBe('boxed');
  });

  it.each(['boxed', 'json_schema'] as const)('keeps to %s when told so', async (setting) => {
    const format = new AnswerFormat(setting);
    await expect(format.ask(server({ [setting]: 400 }).ask)).rejects.toThrow(EngineStatusError);
    format.ignored();
    expect(format.current).toBe(setting);
  });
});
