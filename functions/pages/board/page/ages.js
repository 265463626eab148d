/**
 * Since when a machine is as it is. Pure; `nowMs` is the server's time.
 *
 * The current state began after the newest report of any other one, and at the latest with the newest report of its own.
 * What lies between nobody knows, so the page says both where they are far apart.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {{now: string, min: string, h: string, d: string}} Units
 * @typedef {{fromMs: number | null, toMs: number}} Since  It began between the two; null: it was never otherwise.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Two times so close together are one to a person. */
const NEAR_MS = 5 * MINUTE_MS;
const NEAR_SHARE = 0.1;

/**
 * A time to sort by: the earliest that the current trouble may have begun.
 *
 * @param {Item} item
 */
export function earliest(item) {
  const known = item.silentSince ?? item.overdue?.plannedFor;
  if (known !== undefined && (item.state === null || item.state === "NORMAL")) return known;
  return item.stateSince ?? item.stateTimestamp ?? "";
}

/**
 * Since when the current state lasts; null if that is unknown.
 *
 * @param {Item} item
 * @param {number} [firstMs]  An earlier report of the same state, see `starts.js`.
 * @returns {Since | null}
 */
export function sinceOf(item, firstMs = Infinity) {
  if (item.stateTimestamp === null) return null;
  const fromMs = item.stateSince === null ? null : Date.parse(item.stateSince);
  return { fromMs, toMs: Math.min(firstMs, Date.parse(item.stateTimestamp)) };
}

/**
 * Whether both times of `since` are one to a person who looks now.
 *
 * @param {Since} since
 * @param {number} nowMs
 */
export function isExact(since, nowMs) {
  if (since.fromMs === null) return false;
  return since.toMs - since.fromMs <= Math.max(NEAR_MS, NEAR_SHARE * (nowMs - since.fromMs));
}

/**
 * An age in its two greatest units: `now`, `35 min`, `7 h 04`, `3 d 4 h`.
 *
 * @param {number} ageMs
 * @param {Units} units
 */
export function ageOf(ageMs, units) {
  if (ageMs < MINUTE_MS) return units.now;
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)} ${units.min}`;
  const hours = Math.floor(ageMs / HOUR_MS);
  if (ageMs < DAY_MS) return `${hours} ${units.h} ${String(Math.floor((ageMs % HOUR_MS) / MINUTE_MS)).padStart(2, "0")}`;
  return `${Math.floor(hours / 24)} ${units.d} ${hours % 24} ${units.h}`;
}

/**
 * An age in its greatest unit, of what is over: `3 h`; a minute at least.
 *
 * @param {number} ageMs
 * @param {Units} units
 */
export function roughAgeOf(ageMs, units) {
  if (ageMs < HOUR_MS) return ageOf(Math.max(ageMs, MINUTE_MS), units);
  return ageMs < DAY_MS ? `${Math.floor(ageMs / HOUR_MS)} ${units.h}` : `${Math.floor(ageMs / DAY_MS)} ${units.d}`;
}
