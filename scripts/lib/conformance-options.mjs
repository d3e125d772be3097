import { parseArgs } from 'node:util';
import { Problem } from './problem.mjs';

const USAGE =
  'npm run conformance -- URL [--model M] [--api-key K] [--tolerance 0.05] [--admin]\n' +
  '  --admin also pauses and continues generation, which other users of the engine feel.';

const OPTIONS = {
  model: { type: 'string' },
  'api-key': { type: 'string' },
  tolerance: { type: 'string' },
  admin: { type: 'boolean', default: false },
};

/** Which engine to ask, and how; a Problem says what cannot be used. */
export function readConformanceOptions(args) {
  const { values, positionals } = parse(args);
  const [url] = positionals;
  if (positionals.length > 1) throw problem(`one URL is needed, got ${positionals.length}: ${positionals.join(' ')}`);
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) {
    throw problem(`the URL of an engine is needed, such as http://127.0.0.1:30001, got ${shown(url)}`);
  }
  return {
    url,
    model: values.model,
    apiKey: values['api-key'],
    admin: values.admin,
    ...(values.tolerance !== undefined && { tolerance: readTolerance(values.tolerance) }),
  };
}

function parse(args) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw problem(error.message);
  }
}

function readTolerance(text) {
  const tolerance = text.trim() === '' ? NaN : Number(text);
  if (tolerance >= 0 && tolerance < Infinity) return tolerance;
  throw problem(`--tolerance is ${shown(text)}; allowed: how far log-probs may differ, a number from 0, such as 0.05`);
}

function shown(text) {
  return text === undefined ? 'nothing' : JSON.stringify(text);
}

function problem(message) {
  return new Problem(`${message}\n\n${USAGE}`);
}
