import type { ConsoleProblem } from '@app/contracts';
import type { EngineState } from '@app/engines';
import { remedyFor } from '@app/patrol';

/** What a gateway sees of its surroundings. */
export interface Surroundings {
  readonly busIsUp: boolean;
  readonly engines: readonly EngineState[];
  readonly route: string;
  /** Why not a better one; null: nobody could ask yet. */
  readonly routeReason: string | null;
}

const engineProblem = (state: EngineState): ConsoleProblem[] => {
  if (state.condition === 'sick') {
    return [
      {
        what: `The policy engine ${state.name} fails again and again.`,
        remedy: 'See that it runs and that server.base_url names it; it gets chats again once it answers.',
      },
    ];
  }
  const remedy = remedyFor(state);
  return remedy === null ? [] : [{ what: `The policy engine ${state.name} has other weights than it should.`, remedy }];
};

/** What is wrong around a gateway, in words, with what to do. */
export const gatewayProblems = ({ busIsUp, engines, route, routeReason }: Surroundings): ConsoleProblem[] => [
  ...(busIsUp
    ? []
    : [
        {
          what: 'NATS cannot be reached: chats are served, and nothing is judged or trained.',
          remedy: 'Start nats-server, or set nats.url to one that runs; turns wait here meanwhile.',
        },
      ]),
  ...engines.flatMap(engineProblem),
  ...(route === 'text' && routeReason !== null
    ? [
        {
          what: `Turns are served and judged, and cannot be trained on: ${routeReason}.`,
          remedy: 'Set server.tokenizer for an SGLang, or use an engine that gives token ids; the README has a table.',
        },
      ]
    : []),
];
