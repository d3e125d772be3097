import type { JSX } from 'preact';

interface Message {
  readonly role: string;
}

const LONG = 1200;

/** The text of a message's content: a string, or parts of which some are text. */
export const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      const { type, text } = part as { type?: string; text?: string };
      return type === 'text' && text !== undefined ? text : `[${type ?? 'part'}]`;
    })
    .join('\n');
};

interface ToolCall {
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** A message as it was said: text, never markup. */
export const MessageView = ({ message, name }: { message: Message; name?: string }): JSX.Element => {
  const { role } = message;
  const fields = message as Message & {
    content?: unknown;
    reasoning_content?: string;
    tool_calls?: readonly ToolCall[];
  };
  const text = textOf(fields.content);
  const body = <p class="said">{text}</p>;
  const isFolded = role === 'system' || role === 'developer' || text.length > LONG;
  return (
    <article class={`message from-${role}`}>
      <h3>{name ?? role}</h3>
      {fields.reasoning_content !== undefined && (
        <details>
          <summary>Thoughts</summary>
          <p class="said">{fields.reasoning_content}</p>
        </details>
      )}
      {text !== '' &&
        (isFolded ? (
          <details>
            <summary>{text.length.toLocaleString()} characters</summary>
            {body}
          </details>
        ) : (
          body
        ))}
      {(fields.tool_calls ?? []).map((call, i) => (
        <pre key={i} tabIndex={0}>
          {call.function?.name ?? 'call'}({call.function?.arguments ?? ''})
        </pre>
      ))}
    </article>
  );
};
