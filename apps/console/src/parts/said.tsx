import type { JSX } from 'preact';
import { useAnswer, useConsole } from '../data/context';
import { MessageView } from '../turn/conversation';

/** What was asked last and what was answered, where it may be read: nobody rates what he cannot see. */
export const Said = ({ turnId }: { turnId: string }): JSX.Element | null => {
  const { api } = useConsole();
  const { value, error } = useAnswer(() => api.turn(turnId), [api, turnId]);
  if (error !== null) return <p class="problem">{error}</p>;
  const turn = value?.turn ?? null;
  if (turn === null) return null;
  if (turn.text !== 'shown')
    return <p class="faint">Its text is not recorded: records.enabled = true shows it here.</p>;
  const asked = turn.messages?.at(-1);
  return (
    <div class="conversation">
      {asked !== undefined && <MessageView message={asked} />}
      {turn.response !== null && <MessageView message={turn.response} />}
    </div>
  );
};
