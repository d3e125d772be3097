/** Bytes that the conversation may take up in a reply: a reply has to go through the bus, with the tokens beside it. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The newest messages that fit, oldest first, and how many older ones are left out. The newest is never left out. */
export const fitMessages = <Message>(
  messages: readonly Message[],
  maxBytes = MAX_BYTES,
): { readonly messages: Message[]; readonly leftOut: number } => {
  let left = maxBytes;
  let first = messages.length;
  while (first > 0) {
    left -= Buffer.byteLength(JSON.stringify(messages[first - 1]));
    if (left < 0 && first < messages.length) break;
    first -= 1;
  }
  return { messages: messages.slice(first), leftOut: first };
};
