import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeFrame, type FrameArrays, type WireMessage } from './index';
import { TurnHinted } from './hint';
import { PolicyAnswered, PolicyUpdated } from './policy';
import { SessionClosed, TurnArrived, TurnCompleted, TurnFollowed } from './turn';
import { DeadLetter, FeedbackGiven, SessionEnded, TurnJudged, TurnSettled } from './verdict';

/** A message of version 1 as it stands in a stream: subject, info and frame as bytes, and what they say. */
interface Fixture {
  readonly what: string;
  readonly subject: string;
  readonly info: string;
  readonly head: unknown;
  readonly arrays: Readonly<Record<string, { readonly type: 'i32' | 'f64' | 'u8'; readonly values: number[] }>>;
  readonly frame: string;
}

const FIXTURES = JSON.parse(readFileSync(join(__dirname, 'fixtures/messages-v1.json'), 'utf8')) as Fixture[];
const MESSAGES = [
  TurnArrived,
  TurnCompleted,
  SessionClosed,
  TurnFollowed,
  TurnJudged,
  TurnHinted,
  FeedbackGiven,
  SessionEnded,
  TurnSettled,
  DeadLetter,
  PolicyUpdated,
  PolicyAnswered,
];

const TYPES = { i32: Int32Array, f64: Float64Array, u8: Uint8Array };

const arraysOf = ({ arrays }: Fixture): FrameArrays =>
  Object.fromEntries(Object.entries(arrays).map(([name, { type, values }]) => [name, TYPES[type].from(values)]));

const wireOf = ({ subject, info, frame }: Fixture): WireMessage => ({
  subject,
  info,
  data: Buffer.from(frame, 'base64'),
});

describe('messages of version 1, which are stored and must stay readable', () => {
  it('are there of every kind', () => {
    for (const message of MESSAGES) expect(FIXTURES.some(({ subject }) => message.matches(subject))).toBe(true);
  });

  it.each(FIXTURES.map((fixture) => [fixture.what, fixture] as const))('%s', (_what, fixture) => {
    const message = MESSAGES.find((each) => each.matches(fixture.subject))!;
    const { info, body } = message.decode(wireOf(fixture));
    expect(info).toEqual(JSON.parse(fixture.info));
    expect(body).toEqual({ head: fixture.head, arrays: arraysOf(fixture) });
  });

  it.each(FIXTURES.map((fixture) => [fixture.what, fixture] as const))(
    '%s is what is written today',
    (_what, fixture) => {
      const message = MESSAGES.find((each) => each.matches(fixture.subject))!;
      const tokens = fixture.subject.slice(message.name.length + 1).split('.');
      const encoded = message.encode(tokens, JSON.parse(fixture.info) as never, fixture.head as never, {
        arrays: arraysOf(fixture),
      });
      expect(encoded.subject).toBe(fixture.subject);
      expect(encoded.info).toBe(fixture.info);
      expect(decodeFrame(encoded.data)).toEqual(decodeFrame(Buffer.from(fixture.frame, 'base64')));
      expect(Buffer.from(encoded.data).toString('base64')).toBe(fixture.frame);
    },
  );
});
