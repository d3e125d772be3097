import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TurnDetail, TurnTokens } from '@app/contracts';
import { signed } from '../data/words';
import { TokenFacts } from './token-facts';
import { TokenStrip } from './token-strip';
import { classOf, fullScale, LENS_HELP, LENS_NAMES, LENSES, strongest, valuesOf, type Lens } from './token-values';

type Sources = Pick<TurnDetail, 'sample'> & { readonly tokens: TurnTokens };

const STRONGEST = 6;

/** A token as it can be seen: white space alone has a sign, and a line still ends where it ended. */
const shownText = (text: string): string => {
  if (text === '') return '·';
  return text.replaceAll('\n', '↵\n');
};

/** The answer, token by token, coloured by what pushes it up or down. */
export const TokenView = ({ sources }: { sources: Sources }): JSX.Element => {
  const { tokens } = sources;
  const possible = useMemo(() => LENSES.filter((lens) => valuesOf(sources, lens) !== null), [sources]);
  const [lens, setLens] = useState<Lens>(possible[0] ?? 'surprise');
  const values = useMemo(() => valuesOf(sources, lens) ?? [], [sources, lens]);
  const scale = useMemo(() => fullScale(values), [values]);
  const [at, setAt] = useState<number | null>(null);
  const host = useRef<HTMLDivElement>(null);
  const spans = useRef<readonly HTMLElement[]>([]);

  // Thousands of tokens: made by hand, once, and only their classes change afterwards.
  useLayoutEffect(() => {
    const texts =
      tokens.texts ?? (tokens.ids ?? tokens.logProbs).map((id, i) => (tokens.ids === null ? `#${i + 1} ` : `${id} `));
    const made = texts.map((text) => {
      const span = document.createElement('span');
      span.textContent = shownText(text);
      return span;
    });
    spans.current = made;
    host.current?.replaceChildren(...made);
  }, [tokens]);
  useLayoutEffect(() => {
    spans.current.forEach((span, i) => {
      const isMasked = tokens.mask?.[i] === 0;
      span.className = `${classOf(values[i] ?? 0, scale, lens)}${isMasked ? ' masked' : ''}`;
    });
  }, [tokens, values, scale, lens]);
  useEffect(() => {
    const span = at === null ? undefined : spans.current[at];
    span?.classList.add('at');
    return () => span?.classList.remove('at');
  }, [at, values]);

  const go = (place: number): void => {
    const next = Math.max(0, Math.min(tokens.logProbs.length - 1, place));
    setAt(next);
    spans.current[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10 }[event.key];
    if (step !== undefined) go((at ?? -1) + step);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(tokens.logProbs.length - 1);
    else if (event.key === 'Escape') setAt(null);
    else return;
    event.preventDefault();
  };
  const indexOf = (target: EventTarget | null): number => spans.current.indexOf(target as HTMLElement);
  const top = useMemo(() => strongest(values, STRONGEST), [values]);

  return (
    <section class="card tokens" aria-labelledby="tokens-title">
      <div class="tokens-head">
        <h2 id="tokens-title">
          The answer <small>{tokens.logProbs.length.toLocaleString()} tokens</small>
        </h2>
        <div class="lenses" role="group" aria-label="Colour by">
          {LENSES.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={lens === each}
              disabled={!possible.includes(each)}
              onClick={() => {
                setLens(each);
              }}
            >
              {LENS_NAMES[each]}
            </button>
          ))}
        </div>
      </div>
      <p class="faint">{LENS_HELP[lens]}</p>
      <Legend lens={lens} scale={scale} />
      <TokenStrip values={values} scale={scale} lens={lens} at={at} onGo={go} />
      <div class="tokens-body">
        <div
          ref={host}
          class={`token-text ${tokens.texts === null ? 'by-id' : ''}`}
          tabIndex={0}
          role="application"
          aria-roledescription="tokens"
          aria-label="Tokens of the answer; the arrow keys go from one to the next"
          onKeyDown={onKey}
          onMouseOver={(event) => {
            const place = indexOf(event.target);
            if (place >= 0) setAt(place);
          }}
          onClick={(event) => {
            const place = indexOf(event.target);
            if (place >= 0) setAt(place);
          }}
        />
        <aside class="token-side">
          <TokenFacts sources={sources} at={at} />
          {lens !== 'reward' && (
            <>
              <h3>{lens === 'surprise' ? 'Most surprising' : 'Moved most'}</h3>
              <ol class="strongest">
                {top.map((place) => (
                  <li key={place}>
                    <button
                      type="button"
                      class={classOf(values[place] ?? 0, scale, lens)}
                      onClick={() => {
                        go(place);
                      }}
                    >
                      {tokens.texts?.[place]?.trim() || (tokens.ids?.[place] ?? `#${place + 1}`)}
                    </button>
                    <span class="number">{signed(values[place] ?? 0)}</span>
                  </li>
                ))}
              </ol>
            </>
          )}
        </aside>
      </div>
    </section>
  );
};

const Legend = ({ lens, scale }: { lens: Lens; scale: number }): JSX.Element => {
  const steps =
    lens === 'surprise' ? ['', 's2', 's4', 's6', 's8'] : ['n8', 'n6', 'n4', 'n2', '', 'p2', 'p4', 'p6', 'p8'];
  const [low, high] =
    lens === 'surprise'
      ? ['sure', `−${scale.toFixed(1)} or less`]
      : [`−${scale.toFixed(2)} pushed down`, `pushed up +${scale.toFixed(2)}`];
  return (
    <p class="scale" aria-hidden="true">
      <span>{low}</span>
      {steps.map((step) => (
        <i key={step} class={step} />
      ))}
      <span>{high}</span>
    </p>
  );
};
