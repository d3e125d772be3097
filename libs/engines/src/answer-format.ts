import { EngineStatusError } from './engine-errors';

/** How an answer is asked for: held to a JSON schema by the server, or in words with a mark. */
export type AnswerForm = 'json_schema' | 'boxed';

/**
 * Which form a server is asked for. `auto` begins with the schema and stays with words once the server has refused it, or
 * has answered with something else.
 */
export class AnswerFormat {
  private usesSchema: boolean;

  constructor(private readonly setting: 'auto' | AnswerForm) {
    this.usesSchema = setting !== 'boxed';
  }

  get current(): AnswerForm {
    return this.usesSchema ? 'json_schema' : 'boxed';
  }

  /**
   * Asks in the current form; if the server refuses the schema as a bad request, once more in words.
   * Only an answer in words proves that the schema was the fault.
   */
  async ask<Reply>(ask: (form: AnswerForm) => Promise<Reply>): Promise<{ form: AnswerForm; reply: Reply }> {
    const form = this.current;
    try {
      return { form, reply: await ask(form) };
    } catch (error) {
      if (form === 'boxed' || this.setting !== 'auto' || !isRefusal(error)) throw error;
      const reply = await ask('boxed');
      this.usesSchema = false;
      return { form: 'boxed', reply };
    }
  }

  /** The server answered without regard to the schema. */
  ignored(): void {
    if (this.setting === 'auto') this.usesSchema = false;
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof EngineStatusError && (error.status === 400 || error.status === 422);
