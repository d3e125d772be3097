import { ValidateBy } from 'class-validator';

/**
 * A field that is right if `isAllowed` says so, of it and of the body that it stands in. `allowed` says what is for people, as
 * in "must be 1, -1 or 0": one message for everything that may be wrong.
 */
export const IsAllowed = (
  allowed: string,
  isAllowed: (value: unknown, body: Readonly<Record<string, unknown>>) => boolean,
): PropertyDecorator =>
  ValidateBy({
    name: allowed,
    validator: {
      validate: (value, context) => isAllowed(value, (context?.object ?? {}) as Readonly<Record<string, unknown>>),
      defaultMessage: () => `must be ${allowed}`,
    },
  });

/** A whole number in a range, both ends included. */
export const IsWholeNumber = (least: number, most: number): PropertyDecorator =>
  IsAllowed(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  );

/** A number that is neither NaN nor infinite. */
export const IsFiniteNumber = (): PropertyDecorator => IsAllowed('a finite number', Number.isFinite);

/** A text of so many characters, both ends included. */
export const IsText = (least: number, most: number): PropertyDecorator =>
  IsAllowed(
    least === 0 ? `a text of at most ${most} characters` : `a text of ${least} to ${most} characters`,
    (value) => typeof value === 'string' && value.length >= least && value.length <= most,
  );

const NAME = /^[\x21-\x7e]{1,128}$/;

/** Whether it is an id or a name as programs write them. */
export const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);

/** An id or a name as programs write them. */
export const IsName = (): PropertyDecorator => IsAllowed('1 to 128 visible ASCII characters', isName);
