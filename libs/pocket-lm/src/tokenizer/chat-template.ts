/** The newest messages that a prompt shows: a question, its answer, and what is said about it. */
export const SHOWN_MESSAGES = 3;
/** Characters of these together: at three bytes each, in tokens of one byte, they still leave room in the context. */
export const SHOWN_CHARACTERS = 600;

/** Marks of a conversation, as added tokens: their ids are their places here. */
export const MARKS = ['<|user|>', '<|assistant|>', '<|end|>', '<|pad|>'] as const;
export const END_ID = MARKS.indexOf('<|end|>');

/**
 * The chat template, in Jinja. The model is small: it sees neither system text nor tools, and of the conversation the newest
 * messages that fit; of a newest message that does not fit alone, its end.
 */
export const CHAT_TEMPLATE = `{%- set view = namespace(shown=[], left=${SHOWN_CHARACTERS}) -%}
{%- for message in messages | reverse -%}
{%- if message.role in ['user', 'assistant'] and message.content and view.shown | length < ${SHOWN_MESSAGES} -%}
{%- set text = message.content if view.shown else message.content[-${SHOWN_CHARACTERS}:] -%}
{%- if text | length <= view.left -%}
{%- set view.shown = [{'role': message.role, 'text': text}] + view.shown -%}
{%- set view.left = view.left - text | length -%}
{%- else -%}
{%- set view.left = -1 -%}
{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- for message in view.shown -%}
{{- '<|' + message.role + '|>' + message.text -}}
{%- if message.role == 'assistant' -%}{{- '<|end|>' -}}{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}`;
