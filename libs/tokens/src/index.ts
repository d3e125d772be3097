export { Detokenizer, type DetokenizerOptions } from './model/detokenizer';
export { ModelFolderError, readModelFolder, type ModelFolder, type SamplingDefaults } from './model/model-folder';
export { Vocabulary, type AddedToken } from './model/vocabulary';
export type { RenderedPrompt } from './pool/messages';
export { readRequest } from './pool/read-request';
export { RenderError, RenderPool, type RenderJob } from './pool/render-pool';
export { DRIFTS, type Drift } from './prompt/prompt-memory';
export { TurnMemory } from './prompt/turn-memory';
export { PromptRenderer, type Prompt, type PromptRequest } from './prompt/prompt-renderer';
