/** Thrown at start when the teacher has other tokens than the policy: its scores would be of another text. */
export class VocabularyMismatchError extends Error {
  override readonly name = 'VocabularyMismatchError';

  constructor(teacher: string, text: string) {
    super(
      `the teacher at ${teacher} tokenises ${JSON.stringify(text)} otherwise than the policy; set opd.teacher to an engine with the policy's vocabulary, or to policy`,
    );
  }
}

/** Thrown at start when an engine that has to score or to tokenise cannot. */
export class CannotScoreError extends Error {
  override readonly name = 'CannotScoreError';

  constructor(what: string) {
    super(`${what} is neither SGLang nor vLLM, and cannot score given tokens: set opd.teacher to an engine that can`);
  }
}
