import { isInternalContext, stripInternalContext, type ChatMessage } from '@app/chat';
import { readContent, writeNextState, writeResponse, writeText } from './transcript';

/** Characters of the conversation that a prompt holds at most, marks of what was left out not counted. */
const LIMITS = { request: 4000, response: 16_000, nextState: 16_000 } as const;

/** A turn and what followed it. */
export interface FollowedTurn {
  /** The request's messages, without the answer. */
  readonly messages: readonly ChatMessage[];
  readonly response: ChatMessage;
  /** Everything between this answer and the next one, without the client's own additions. */
  readonly nextState: readonly ChatMessage[];
  readonly role: 'user' | 'tool';
}

const lastRequest = (messages: readonly ChatMessage[]): string => {
  const message = messages.findLast((each) => each.role === 'user' && !isInternalContext(each));
  return stripInternalContext(readContent(message?.content));
};

/** The turn as sections of a prompt. The conversation is data in them: nothing in it can end its section. */
export const writeFollowedTurn = (turn: FollowedTurn): string =>
  [
    `<user_request>\n${writeText(lastRequest(turn.messages), LIMITS.request)}\n</user_request>`,
    `<assistant_response>\n${writeResponse(turn.response, LIMITS.response)}\n</assistant_response>`,
    `<next_state role="${turn.role}">\n${writeNextState(turn.nextState, LIMITS.nextState)}\n</next_state>`,
  ].join('\n\n');
