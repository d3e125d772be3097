import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 1000;

/** What the judge has said so far, by the records: votes by score, and hints that were accepted. */
export class VoteCount {
  #recordsDir;
  #counted = null;
  #countedAt = 0;

  constructor(recordsDir) {
    this.#recordsDir = recordsDir;
  }

  /** As it was a second ago at most: reading all records is work. */
  recent() {
    return this.#counted !== null && performance.now() - this.#countedAt < EVERY_MS ? this.#counted : this.now();
  }

  now() {
    this.#counted = countVotes(this.#recordsDir);
    this.#countedAt = performance.now();
    return this.#counted;
  }
}

function countVotes(recordsDir) {
  const found = { good: 0, bad: 0, neutral: 0, hints: 0 };
  if (!existsSync(recordsDir)) return found;
  const files = readdirSync(recordsDir, { recursive: true }).filter((path) => path.endsWith('.jsonl'));
  for (const line of files.flatMap((path) => readFileSync(join(recordsDir, path), 'utf8').split('\n'))) {
    const record = parseOrNull(line);
    for (const { score } of record?.judge?.votes ?? []) {
      if (score === 1) found.good += 1;
      else if (score === -1) found.bad += 1;
      else if (score === 0) found.neutral += 1;
    }
    if (record?.hints?.hint) found.hints += 1;
  }
  return found;
}

/** A line may just be being written. */
function parseOrNull(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
