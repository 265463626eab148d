/**
 * Who is on duty, by the clock on a factory's wall: `functions/contract/duty.py` decides the same, and a test compares
 * the two. A time is a count of minutes that this clock has shown since 1970, as if it were never put on or back. Pure.
 *
 * @typedef {"operator" | "supervisor" | "manager"} Role
 * @typedef {{name: string, days: string[], from: string, to: string, week?: number, lines?: string[],
 *   operators: string[], supervisor?: string}} Shift
 * @typedef {{from: string, to: string, role: Role, person: string}} Override  Clock times, as `2026-12-24T22:00`.
 * @typedef {{operators: string[], supervisor: string, manager?: string, timezone?: string, anchor?: string,
 *   weeks?: number, shifts?: Shift[], overrides?: Override[]}} Roster
 * @typedef {{shift: string | null, operators: string[], supervisor: string | null, manager: string | null}} Duty
 * @typedef {{from: number, to: number, duty: Duty}} Span
 */

/** @type {readonly Role[]} */
export const ROLES = ["operator", "supervisor", "manager"];

export const DAY = 24 * 60;
export const WEEK = 7 * DAY;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MINUTE_MS = 60_000;
const FIRST_ANCHOR = "1970-01-05"; // a Monday

/**
 * What the clock of a zone shows at a time.
 *
 * @param {number} ms
 * @param {string} [zone]
 */
export function wallMinute(ms, zone = "UTC") {
  const shown = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(ms);
  const part = (/** @type {string} */ name) => Number(shown.find(({ type }) => type === name)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute")) / MINUTE_MS;
}

/** @param {string} wall  As `2026-12-24T22:00`. */
export const minuteOf = (wall) => Date.parse(`${wall}Z`) / MINUTE_MS;

/** @param {number} minute */
export const wallOf = (minute) => new Date(minute * MINUTE_MS).toISOString().slice(0, 16);

/**
 * Who is there at a time, for a line; null: for all lines that no shift of the time is for.
 *
 * @param {Roster} roster
 * @param {number} minute
 * @param {string | null} [line]
 * @returns {Duty}
 */
export function onDuty(roster, minute, line = null) {
  const shift = shiftAt(roster, minute, line);
  const isGap = Boolean(roster.shifts?.length) && shift === null;
  const wall = wallOf(minute);
  const instead = (/** @type {Role} */ role) =>
    roster.overrides?.find((one) => one.role === role && one.from <= wall && wall < one.to)?.person;
  const operator = instead("operator");
  return {
    shift: shift?.name ?? null,
    operators: operator === undefined ? (isGap ? [] : (shift ?? roster).operators) : [operator],
    supervisor: instead("supervisor") ?? (isGap ? null : (shift?.supervisor ?? roster.supervisor)),
    manager: instead("manager") ?? roster.manager ?? null,
  };
}

/**
 * Who is there from one time to another, one after the other.
 *
 * @param {Roster} roster
 * @param {number} from
 * @param {number} to
 * @param {string | null} [line]
 * @returns {Span[]}
 */
export function spansOf(roster, from, to, line = null) {
  /** @type {Span[]} */
  const spans = [];
  const times = [from, ...changesIn(roster, from, to)];
  times.forEach((time, index) => {
    const [duty, until, last] = [onDuty(roster, time, line), times[index + 1] ?? to, spans.at(-1)];
    if (last !== undefined && JSON.stringify(last.duty) === JSON.stringify(duty)) last.to = until;
    else spans.push({ from: time, to: until, duty });
  });
  return spans;
}

/**
 * Whether nobody would find out that a machine stands.
 *
 * @param {Duty} duty
 */
export const isGap = ({ operators }) => !operators.length;

/**
 * The lines that have shifts of their own; null stands for all other ones.
 *
 * @param {Roster} roster
 * @returns {(string | null)[]}
 */
export const linesOf = ({ shifts = [] }) => [null, ...new Set(shifts.flatMap(({ lines = [] }) => lines).toSorted())];

/**
 * The overrides once somebody takes over a role: others of this role are cut, and what is over is left out.
 *
 * @param {readonly Override[]} overrides
 * @param {Override} taken
 * @param {number} now
 * @returns {Override[]}
 */
export const takenOver = (overrides, taken, now) => [...without(overrides, taken, now), taken].toSorted((one, other) => (one.from < other.from ? -1 : 1));

/**
 * The overrides without those of a role between two times, and without what is over.
 *
 * @param {readonly Override[]} overrides
 * @param {{role: Role, from: string, to: string}} cut
 * @param {number} now
 * @returns {Override[]}
 */
export const without = (overrides, { role, from, to }, now) =>
  overrides
    .flatMap((one) =>
      one.role === role ? [{ ...one, to: one.to < from ? one.to : from }, { ...one, from: one.from > to ? one.from : to }] : [one],
    )
    .filter((one) => one.from < one.to && one.to > wallOf(now));

/**
 * @param {Roster} roster
 * @param {number} minute
 * @param {string | null} line
 */
function shiftAt(roster, minute, line) {
  const there = (roster.shifts ?? []).filter((shift) => timesOf(shift, roster).some(({ begin, long }) => sinceOf(begin, minute, roster) < long));
  return there.find(({ lines = [] }) => line !== null && lines.includes(line)) ?? there.find(({ lines = [] }) => !lines.length) ?? null;
}

/**
 * The times of a shift in a cycle of the roster's weeks.
 *
 * @param {Shift} shift
 * @param {Roster} roster
 */
function timesOf({ days, from, to, week }, { weeks = 1 }) {
  const [begins, ends] = [ofDay(from), ofDay(to)];
  const ofWeeks = week === undefined ? Array.from({ length: weeks }, (_, number) => number) : [week - 1];
  const long = modulo(ends - begins, DAY) || DAY;
  return ofWeeks.flatMap((one) => days.map((day) => ({ begin: one * WEEK + DAYS.indexOf(day) * DAY + begins, long })));
}

/**
 * The minutes since a minute of the cycle was there last.
 *
 * @param {number} begin
 * @param {number} minute
 * @param {Roster} roster
 */
function sinceOf(begin, minute, { anchor = FIRST_ANCHOR, weeks = 1 }) {
  const first = minuteOf(`${anchor}T00:00`);
  const monday = first - modulo(first - minuteOf(`${FIRST_ANCHOR}T00:00`), WEEK);
  return modulo(minute - monday - begin, weeks * WEEK);
}

/**
 * The times at which other people may be there, between two.
 *
 * @param {Roster} roster
 * @param {number} from
 * @param {number} to
 */
function changesIn(roster, from, to) {
  const { shifts = [], overrides = [], weeks = 1 } = roster;
  const times = overrides.flatMap((one) => [minuteOf(one.from), minuteOf(one.to)]);
  for (const { begin, long } of shifts.flatMap((shift) => timesOf(shift, roster))) {
    for (let time = from - sinceOf(begin, from, roster); time < to; time += weeks * WEEK) times.push(time, time + long);
  }
  return [...new Set(times)].filter((time) => from < time && time < to).sort((one, other) => one - other);
}

/** @param {string} clock  As `22:30`. */
const ofDay = (clock) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** @type {(value: number, by: number) => number} */
const modulo = (value, by) => ((value % by) + by) % by;
