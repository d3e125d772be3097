import { NoAnswerError } from '../network/http';
import { describeNoAnswer } from '../network/describe-answer';
import { failed, worstOf, type Finding } from '../finding';
import type { Visit } from '../visit';

/** The same look at every engine of the policy; a broken connection is a finding, too. */
export const eachPolicy = async (visit: Visit, look: (url: string) => Promise<Finding>): Promise<Finding> =>
  worstOf(
    await Promise.all(
      visit.policy.urls.map((url) =>
        look(url).catch((error: unknown) => {
          if (!(error instanceof NoAnswerError)) throw error;
          const { seen, remedy } = describeNoAnswer(error.code, 'server.base_url');
          return failed(`${new URL(url).host}: ${seen}`, remedy);
        }),
      ),
    ),
  );
