const TURN_SUBJECT = /^rl\.turn\.\w+\.v\d+\.([^.]+)$/;

/** What is logged of one turn. A JSON line has the turn's id in a field of its own, a plain line in its text. */
export class TurnLine {
  constructor(
    readonly turnId: string,
    readonly text: string,
  ) {}

  toString(): string {
    return `turn ${this.turnId}: ${this.text}`;
  }
}

/** A line on a message: of the turn that its subject names, if it names one. */
export const lineOn = (subject: string, text: string): TurnLine | string => {
  const turnId = TURN_SUBJECT.exec(subject)?.[1];
  return turnId === undefined ? `${subject}, ${text}` : new TurnLine(turnId, `${subject}, ${text}`);
};
