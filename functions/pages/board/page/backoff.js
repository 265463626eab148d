/** How long to wait. Pure; `random` is from 0 up to 1. */

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Before the next attempt to connect: twice as long each time, between half of it and all of it, so that a thousand
 * screens do not come back at once.
 *
 * @param {number} failures  The attempts that failed in a row.
 * @param {number} random
 */
export function beforeRetryMs(failures, random) {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return most * (0.5 + random / 2);
}

/**
 * A pause, a fifth more or less.
 *
 * @param {number} ms
 * @param {number} random
 */
export const jittered = (ms, random) => ms * (0.8 + random * 0.4);
