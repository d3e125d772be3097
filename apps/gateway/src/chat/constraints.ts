import { isRecord } from '@app/chat';
type Json = Readonly<Record<string, unknown>>;

/** Fields that change what is drawn, or from which weights, and the value that changes nothing. */
const NEUTRAL: Readonly<Record<string, unknown>> = {
  logit_bias: null,
  min_p: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  repetition_penalty: 1,
  min_tokens: 0,
  regex: null,
  ebnf: null,
  json_schema: null,
  structural_tag: null,
  guided_json: null,
  guided_regex: null,
  guided_choice: null,
  guided_grammar: null,
  structured_outputs: null,
  lora_path: null,
  custom_logit_processor: null,
  custom_params: null,
  input_ids: null,
  ignore_eos: false,
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** A grammar is forced on the answer: by its format, or by a tool that has to be called. */
const forcesForm = (body: Json): boolean => {
  const { response_format: format, tool_choice: choice } = body;
  if (isRecord(format) && format.type !== 'text') return true;
  return choice === 'required' || isRecord(choice);
};

/**
 * Whether a request asks for tokens that are not the policy's own choice: their log-probs belong to another distribution
 * (a penalty, a bias, a grammar) or to other weights (an adapter), and no sample could say which.
 */
export const isConstrained = (body: Json): boolean =>
  forcesForm(body) ||
  Object.entries(NEUTRAL).some(([field, neutral]) => !isEmpty(body[field]) && body[field] !== neutral);
