import type { ScoringClient } from '@app/engines';
import { VocabularyMismatchError } from './errors';

/**
 * Texts that vocabularies differ over: words, numbers, code, indentation, scripts, emoji, marks of chat templates. Two of one
 * size can be different ones, so sizes prove nothing.
 */
const PROBES = [
  'The quick brown fox jumps over the lazy dog, twice in 1984 and 20026 times since.',
  'function f(x) {\n\tif (x !== null) {\n        return x?.y ?? "none";\n    }\n}\n\n\n',
  'Ünïcödé, naïve façade; Привет, мир; こんにちは世界; 你好，世界; שלום; مرحبا; 🙂👩‍💻',
  '<|im_start|>user\n<think></think><|im_end|>',
  '[INST] <s> </s> <|eot_id|> <tool_call>{"name": "x"}</tool_call>',
];

type Tokenizer = Pick<ScoringClient, 'tokenizeText'>;

const areEqual = (a: Int32Array, b: Int32Array): boolean => a.length === b.length && a.every((id, i) => id === b[i]);

/**
 * Demands that two engines have the same vocabulary.
 *
 * @throws VocabularyMismatchError, EngineError
 */
export const checkVocabulary = async (
  { teacher, policy, host }: { readonly teacher: Tokenizer; readonly policy: Tokenizer; readonly host: string },
  signal: AbortSignal,
): Promise<void> => {
  for (const text of PROBES) {
    const [own, other] = await Promise.all([teacher.tokenizeText(text, signal), policy.tokenizeText(text, signal)]);
    if (!areEqual(own, other)) throw new VocabularyMismatchError(host, text);
  }
};
