// Loaded into a service before its own code: its clock is off by the milliseconds that stand in a file, now this, now that.
// Timers go on as they are, as they do when a machine's clock is set.
const { readFileSync } = require('node:fs');

const LOOK_EVERY_MS = 50;
const RealDate = Date;
let offset = 0;
let lookedAt = -Infinity;

function readOffset() {
  try {
    return Number(readFileSync(process.env.CRASH_CLOCK_FILE, 'utf8')) || 0;
  } catch {
    return 0;
  }
}

function shiftedNow() {
  if (performance.now() - lookedAt > LOOK_EVERY_MS) {
    lookedAt = performance.now();
    offset = readOffset();
  }
  return RealDate.now() + offset;
}

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(shiftedNow());
    else super(...parts);
  }

  static now() {
    return shiftedNow();
  }
};
