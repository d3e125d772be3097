import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Learning } from '@app/contracts';
import { useConsole } from '../data/context';
import { timeOf } from '../data/words';

type Versions = NonNullable<Learning['heldOut']>;

/** What the policy said to prompts that nobody trains on, before an update and after it, side by side. */
export const HeldOutView = ({
  versions,
  onForgotten,
}: {
  versions: Versions;
  onForgotten: () => void;
}): JSX.Element | null => {
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = versions.find(({ version }) => version === chosen) ?? versions.at(-1);
  if (shown === undefined) return null;
  const { version, answeredAt, answers } = shown;
  const same = answers.filter(({ before, after }) => before === after).length;
  return (
    <>
      <div class="filters">
        <label>
          Update to version
          <select
            value={String(version)}
            onChange={(event) => {
              setChosen(Number(event.currentTarget.value));
            }}
          >
            {versions.toReversed().map((each) => (
              <option key={each.version} value={String(each.version)}>
                {each.version}
              </option>
            ))}
          </select>
        </label>
        <span class="faint">
          {timeOf(answeredAt)}; {answers.length - same} of {answers.length} answers changed
        </span>
        <Forget onForgotten={onForgotten} />
      </div>
      {answers.map(({ prompt, before, after }) => (
        <article key={prompt} class="card held-out">
          <h3 class="said">{prompt}</h3>
          <div class="sides">
            <div>
              <h4>before, version {version - 1}</h4>
              <p class="said">{before}</p>
            </div>
            <div class={before === after ? '' : 'is-changed'}>
              <h4>after, version {version}</h4>
              <p class="said">{before === after ? <span class="faint">the same</span> : after}</p>
            </div>
          </div>
        </article>
      ))}
    </>
  );
};

const Forget = ({ onForgotten }: { onForgotten: () => void }): JSX.Element => {
  const { api } = useConsole();
  const [trouble, setTrouble] = useState<string | null>(null);
  const forget = async (): Promise<void> => {
    try {
      await api.forgetAnswers();
      onForgotten();
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => void forget()}>
        Delete all of these answers
      </button>
      <span role="status">{trouble}</span>
    </>
  );
};
