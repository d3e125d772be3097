import {
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateBy,
} from 'class-validator';

/** GPU numbers, at least one range or comma among them. */
const GPU_NUMBERS = /^(?=.*[-,])\d+(-\d+)?(\s*,\s*\d+(-\d+)?)*$/;

/** What a setting's value may be: how to read it from a variable's text, how to check it, how to say it. */
export interface Kind {
  /** Ends the sentence "allowed: …". */
  readonly allowed: string;
  /** Text that has not the right form is returned as it is, for the checks to refuse. */
  readonly fromText: (text: string) => unknown;
  readonly checks: readonly PropertyDecorator[];
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A whole number from `min` to `max`, both included. */
export function whole({ min, max }: Range): Kind {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    fromText: numberFromText,
    checks: [IsInt(), Min(min), Max(max)],
  };
}

/** A finite number from `min` to `max`, both included, fractions allowed. */
export function fraction({ min, max }: Range): Kind {
  return {
    allowed: `a number from ${min} to ${max}`,
    fromText: numberFromText,
    checks: [IsNumber(), Min(min), Max(max)],
  };
}

/** true or false; a variable may also say 1 or 0. */
export function flag(): Kind {
  const words: Record<string, boolean> = { true: true, '1': true, false: false, '0': false };
  return {
    allowed: 'true or false',
    fromText: (text) => words[text.toLowerCase()] ?? text,
    checks: [IsBoolean()],
  };
}

/** One of the words of a closed list; `note` says why others are not in it. */
export function oneOf(words: readonly string[], note?: string): Kind {
  return {
    allowed: words.join(', ') + (note === undefined ? '' : ` (${note})`),
    fromText: (text) => text,
    checks: [IsIn(words)],
  };
}

/** Text that is not empty, described by `allowed`, of a given form if `form` says so. */
export function text(allowed: string, form?: RegExp): Kind {
  return {
    allowed,
    fromText: (value) => value,
    checks: [IsString(), MinLength(1), ...(form === undefined ? [] : [Matches(form)])],
  };
}

/** URLs of servers: a name without dots will do. */
const SERVER_URL = {
  protocols: ['http', 'https'],
  require_protocol: true,
  require_tld: false,
  allow_underscores: true,
};

/** An http or https URL. */
export function httpUrl(): Kind {
  return {
    allowed: 'a URL such as http://127.0.0.1:8000 or https://api.example.com/v1',
    fromText: (value) => value,
    checks: [IsUrl(SERVER_URL)],
  };
}

/** A number of GPUs, or the GPUs' own numbers. One GPU alone is written as a range, since `4` is a number of them. */
export function gpuShare(): Kind {
  const isShare = (value: unknown): boolean =>
    typeof value === 'string' ? GPU_NUMBERS.test(value) : Number.isInteger(value) && (value as number) >= 0;
  return {
    allowed: 'a number of GPUs such as 4, or their numbers: 0-3, or 0,2 (one alone: 4-4)',
    fromText: numberFromText,
    checks: [ValidateBy({ name: 'gpuShare', validator: { validate: isShare } })],
  };
}

/** A list of distinct texts; a variable separates them by commas, or by what `separator` says. */
export function textList(allowed: string, form: RegExp, separator = ','): Kind {
  return {
    allowed,
    fromText: (value) => listFromText(value, separator),
    checks: [IsArray(), ArrayUnique(), IsString({ each: true }), Matches(form, { each: true })],
  };
}

/** A list of distinct http or https URLs; a variable separates them by commas. */
export function urlList(): Kind {
  return {
    allowed: 'a list of URLs such as http://127.0.0.1:8000, each once',
    fromText: (value) => listFromText(value, ','),
    checks: [IsArray(), ArrayUnique(), IsUrl(SERVER_URL, { each: true })],
  };
}

/** The same, or null: nothing configured. */
export function optional(kind: Kind): Kind {
  return { ...kind, checks: [IsOptional(), ...kind.checks] };
}

function numberFromText(value: string): unknown {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
}

function listFromText(value: string, separator: string): string[] {
  return value
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
