import type { Job } from './engine';
import { EngineRequestError } from './errors';
import type { Exchange } from './exchange';
import type { ScriptedAnswer } from './options';

/** Does what a script wants instead of an answer: silence, or an HTTP error. False: there is an answer to give. */
export async function refuseByScript(exchange: Exchange, job: Job, answer?: ScriptedAnswer): Promise<boolean> {
  if (answer?.hang) {
    await job.orAborted(undefined);
    return true;
  }
  if (answer?.status === undefined || answer.errorAfterTokens !== undefined) return false;
  if (answer.body !== undefined) exchange.json(answer.status, answer.body, answer.headers);
  else exchange.error(new EngineRequestError(answer.status, answer.message ?? 'Scripted error'), answer.headers);
  return true;
}
