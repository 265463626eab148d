/** Days of orders, as `2026-11-30`, all of them UTC. Pure. */

export const DAY_MS = 86_400_000;
const IN_WEEK = 7;

/** @param {string} text */
export const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(dayMs(text)) === text;

/**
 * The beginning of a day.
 *
 * @param {string} day
 */
export const dayMs = (day) => Date.parse(`${day}T00:00:00Z`);

/** @param {number} ms */
export const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);

/**
 * @param {string} day
 * @param {number} days
 */
export const daysAfter = (day, days) => dayOf(dayMs(day) + days * DAY_MS);

/**
 * The days of a day's week, from its Monday on.
 *
 * @param {string} day
 */
export function weekOf(day) {
  const sinceMonday = (new Date(dayMs(day)).getUTCDay() + IN_WEEK - 1) % IN_WEEK;
  return Array.from({ length: IN_WEEK }, (_, number) => daysAfter(day, number - sinceMonday));
}
