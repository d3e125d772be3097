import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import data from './tokenizer.json';

/** The prompt of `renderChat`, as a model's chat template says it. */
const TEMPLATE = `
{%- if tools -%}
{{ '<|im_start|>system\\n# Tools\\n\\n<tools>\\n' }}
{%- for tool in tools -%}
{{ tool | tojson }}{{ '\\n' }}
{%- endfor -%}
{{ '</tools>\\n\\nAnswer with <tool_call> blocks to call them.<|im_end|>\\n' }}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'tool' -%}
{{ '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- elif message.role == 'assistant' -%}
{{ '<|im_start|>assistant\\n' }}
{%- if message.reasoning_content -%}
{{ '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}
{%- endif -%}
{{ message.content }}
{%- for call in message.tool_calls or [] -%}
{{ '\\n<tool_call>\\n{"name": ' }}{{ call.function.name | tojson }}{{ ', "arguments": ' }}
{%- if call.function.arguments is string -%}{{ call.function.arguments }}{%- else -%}{{ call.function.arguments | tojson }}{%- endif -%}
{{ '}\\n</tool_call>' }}
{%- endfor -%}
{{ '<|im_end|>\\n' }}
{%- else -%}
{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false -%}{{ '<think>\\n\\n</think>\\n\\n' }}{%- endif -%}
{%- endif -%}`;

/** Writes the double's model as a folder in Hugging Face's layout: tokenizer and chat template. */
export function writeModelFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(data));
  const config = { clean_up_tokenization_spaces: false, eos_token: '<|im_end|>', chat_template: TEMPLATE };
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
}
