import { CannotScoreError, findTeacher, VocabularyMismatchError } from '@app/teacher';
import { EngineError, IncompleteScoresError } from '@app/engines';
import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';
import type { Visit } from '../visit';

/** The remedy stands behind the last colon or semicolon of these messages. */
const split = (message: string): Finding => {
  const at = Math.max(message.lastIndexOf('; '), message.lastIndexOf(': '));
  return failed(message.slice(0, at), message.slice(at + 2));
};

const look = async ({ settings }: Visit): Promise<Finding> => {
  const { rl } = settings;
  if (!rl.asksTeacher) return ok(`nobody asks for one: rl.algorithm is ${rl.algorithm}`);
  try {
    const { name, model, seats } = await findTeacher(settings, new AbortController().signal);
    return ok(
      `${model} (${name}) at ${seats.map((seat) => seat.name).join(', ')} scores given tokens, with the policy's vocabulary`,
    );
  } catch (error) {
    if (error instanceof CannotScoreError || error instanceof VocabularyMismatchError) return split(error.message);
    if (error instanceof IncompleteScoresError)
      return failed(error.message, 'update the engine, or set opd.teacher to another');
    if (error instanceof EngineError) {
      return failed(
        `the teacher: ${error.message}`,
        'start it, or mend opd.teacher, opd.teacher_model and opd.teacher_api_key_env',
      );
    }
    throw error;
  }
};

export const teacherCheck: Check = { id: 'teacher', title: 'teacher', needs: ['policy', 'judge'], look };
