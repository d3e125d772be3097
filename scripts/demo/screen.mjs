import { loadExperimentLibrary } from '../lib/project.mjs';

const SHOWN_WORDS = 60;

/** Progress: one line that is written anew on a terminal, and lines that stay. */
export class Screen {
  #isLive = process.stdout.isTTY === true;

  /** A line that stays. */
  say(line) {
    this.clear();
    console.log(line);
  }

  /** The line of this moment; not shown where output is a file. */
  show(line) {
    if (!this.#isLive) return;
    this.clear();
    process.stdout.write(line.slice(0, (process.stdout.columns ?? 120) - 1));
  }

  clear() {
    if (this.#isLive) process.stdout.write('\r\u001B[2K');
  }
}

/** Samples to the next update, votes, hints, the score, the time that is left, and what was said last. */
export function progressLine({ samples, size, votes, score, secondsLeft, said }) {
  const { good, bad, neutral, hints } = votes;
  const left = secondsLeft === null ? '' : ` | ${Math.ceil(secondsLeft / 60)} min left`;
  const last = said === null ? '' : ` | ${said.role}: ${said.word.replaceAll('\n', ' ').slice(0, SHOWN_WORDS)}`;
  return (
    `samples ${samples} of ${size} | votes +1: ${good}, -1: ${bad}, 0: ${neutral} | hints ${hints}` +
    ` | score ${score.toFixed(2)}${left}${last}`
  );
}

export function scoreLine(update, updates, { score, right, preferred }) {
  const [a, b, c] = [score, right, preferred].map((share) => share.toFixed(2));
  return `update ${String(update).padStart(2)} of ${updates}   score ${a}   right ${b}   as wanted ${c}`;
}

const INDENT = ' '.repeat(10);

/** An answer to an errand, and what the checker says of it: the model is small, and some of its sums are wrong. */
function checkedAnswer(errand, answer) {
  const { isRight, isPreferred } = errand.check(answer);
  const verdict = `(${isRight ? 'right' : 'WRONG'}, ${isPreferred ? 'as wanted' : 'not as wanted'})`;
  return [...answer.split('\n'), verdict].join(`\n${INDENT}`);
}

/** A question that was asked before the first update and after the last. */
export function answersLines(errand, before, after) {
  return `\n${errand.request}\n  before: ${checkedAnswer(errand, before)}\n  after:  ${checkedAnswer(errand, after)}`;
}

/** Whether the score was paid for with right answers or with variety. */
export function collapseLine(first, last) {
  const { keepsRight, keepsEntropy } = loadExperimentLibrary().compareHealth(first, last);
  const from = (name) => `${first[name].toFixed(2)} before, ${last[name].toFixed(2)} after`;
  const verdict = keepsRight && keepsEntropy ? 'It did not collapse' : 'IT COLLAPSED';
  return `${verdict}: right ${from('right')}; entropy ${from('entropy')} (nats a token).`;
}
