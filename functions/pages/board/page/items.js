import { isDay } from "./days.js";

/**
 * What the API answers, as far as the page reads it. Times are fixed-width UTC.
 *
 * @typedef {{company: string, country: string, region: string, state: string, county: string, city: string,
 *   neighborhood: string}} Location
 * @typedef {{part: string, result: string, revision: number, timestamp: string}} LastAudit
 * @typedef {{kind: string, state: string, timestamp: string, unit: string, seen: number, model: string,
 *   expected: {typical: number, atMost: number, basedOn: number}}} LastAnomaly
 *
 * @typedef {{date: string, kind: string, plannedFor: string, startedAt?: string}} OpenOrder  Maintenance that is not
 *   finished. Its date and kind are its name; days are UTC.
 * @typedef {OpenOrder & {startedAt: string}} BegunOrder
 * @typedef {OpenOrder & {equipmentId: string, status: "planned" | "started" | "finished", minutes?: number,
 *   version?: number, finishedAt?: string, result?: "done" | "partly" | "skipped"}} PlannedOrder  An order of a machine,
 *   or of an agenda, which says no version.
 *
 * @typedef {{id: string, version: number, category: string, priority: number, status: "raised" | "taken",
 *   raisedAt: string, taker?: string}} OpenCall  A call for help that has not ended; the taker is a token's subject.
 * @typedef {{categories: {id: string, name: string, icon: string, priority: number, needsCause: boolean}[],
 *   causes: {id: string, name: string, categories: string[], lines?: string[]}[]}} Catalog  What a factory calls for.
 *
 * @typedef {object} Item  How a piece of equipment stands; null is unknown, a missing member does not apply.
 * @property {string} equipmentId
 * @property {number} version  Grows with everything that the row learns, see `merge.js`.
 * @property {string | null} name
 * @property {Location | null} location
 * @property {string | null} factoryId
 * @property {string | null} lineId
 * @property {string | null} state
 * @property {string | null} stateSince  The newest report of any other state.
 * @property {string | null} stateTimestamp  The newest report of the current state.
 * @property {string} [operator]
 * @property {string} [escalatedTo]
 * @property {string} [acknowledgedBy]  A token's subject.
 * @property {{since: string, reason: string}} [atRisk]
 * @property {string} [silentSince]
 * @property {string} [disconnectedSince]  From the broker, and nothing was reported since.
 * @property {string} [nobodyTold]  Since when somebody was to be told, and nobody was on duty.
 * @property {{person: string, channel: string, at: string}} [lastTold]  The last message about what is going on.
 * @property {BegunOrder[]} [underWay]  Meanwhile it is neither silent, disconnected nor at risk.
 * @property {OpenOrder} [nextOrder]
 * @property {OpenOrder} [overdue]  The first one that was not finished on its day.
 * @property {OpenCall[]} [calls]
 * @property {{startedAt: string, cause: string}} [lastCause]  Of the newest episode that has one.
 * @property {LastAudit} [lastAudit]
 * @property {LastAnomaly} [lastAnomaly]
 *
 * @typedef {{equipmentId: string, version: number, gone: true}} Tombstone  Deleted, or moved away from this place.
 *
 * @typedef {(value: any) => boolean} Check
 */

/** Above any sum of a row's oplocks: each is below 10^13, and a row has some 60. */
const VERSION_BELOW = 1e15;

/** @type {Check} */
const isText = (value) => typeof value === "string";

/** @type {Check} */
const isTime = (value) => isText(value) && !Number.isNaN(Date.parse(value));

/** @type {Check} */
const isDate = (value) => isText(value) && isDay(value);

/** @type {Check} */
const isVersion = (value) => Number.isInteger(value) && value >= 0 && value < VERSION_BELOW;

/** @type {(check: Check) => Check} */
const orNull = (check) => (value) => value === null || check(value);

/** @type {(check: Check) => Check} */
const orAbsent = (check) => (value) => value === undefined || check(value);

/** @type {(checks: Record<string, Check>) => Check} */
const has = (checks) => (value) =>
  typeof value === "object" && value !== null && Object.entries(checks).every(([name, check]) => check(value[name]));

/** @type {(...values: string[]) => Check} */
const oneOf = (...values) => (value) => values.includes(value);

/** @type {(check: Check) => Check} */
const eachOf = (check) => (value) => Array.isArray(value) && value.every(check);

/** @type {(names: readonly string[], check: Check) => Record<string, Check>} */
const each = (names, check) => Object.fromEntries(names.map((name) => [name, check]));

const order = { ...each(["date", "plannedFor"], isDate), kind: isText };

const isTombstone = has({ equipmentId: isText, version: isVersion, gone: (value) => value === true });

/** Every member that the page draws, or orders by. */
const isItem = has({
  equipmentId: isText,
  version: isVersion,
  gone: (value) => value === undefined,
  location: orNull(has(each(["company", "city", "neighborhood"], isText))),
  ...each(["name", "factoryId", "lineId", "state"], orNull(isText)),
  ...each(["stateSince", "stateTimestamp"], orNull(isTime)),
  ...each(["operator", "escalatedTo", "acknowledgedBy"], orAbsent(isText)),
  ...each(["silentSince", "disconnectedSince", "nobodyTold"], orAbsent(isTime)),
  lastTold: orAbsent(has({ ...each(["person", "channel"], isText), at: isTime })),
  underWay: orAbsent(eachOf(has({ ...order, startedAt: isTime }))),
  ...each(["nextOrder", "overdue"], orAbsent(has({ ...order, startedAt: orAbsent(isTime) }))),
  calls: orAbsent(
    eachOf(
      has({
        ...each(["id", "category"], isText),
        version: isVersion,
        priority: Number.isInteger,
        status: oneOf("raised", "taken"),
        raisedAt: isTime,
        taker: orAbsent(isText),
      }),
    ),
  ),
  lastCause: orAbsent(has({ startedAt: isTime, cause: isText })),
  atRisk: orAbsent(has({ since: isTime, reason: isText })),
  lastAnomaly: orAbsent(
    has({
      ...each(["kind", "state", "unit"], isText),
      timestamp: isTime,
      seen: Number.isFinite,
      expected: has(each(["typical", "atMost"], Number.isFinite)),
    }),
  ),
});

const isOrder = has({
  ...order,
  equipmentId: isText,
  status: oneOf("planned", "started", "finished"),
  ...each(["minutes", "version"], orAbsent(Number.isFinite)),
  ...each(["startedAt", "finishedAt"], orAbsent(isTime)),
  result: orAbsent(oneOf("done", "partly", "skipped")),
});

const isCatalog = has({
  categories: eachOf(
    has({ ...each(["id", "name", "icon"], isText), priority: Number.isInteger, needsCause: (value) => typeof value === "boolean" }),
  ),
  causes: eachOf(
    has({ ...each(["id", "name"], isText), categories: eachOf(isText), lines: orAbsent(eachOf(isText)) }),
  ),
});

/**
 * Return what came over the wire as a catalog; null if the page could not draw it.
 *
 * @param {any} value
 * @returns {Catalog | null}
 */
export const catalogIn = (value) => (isCatalog(value) ? value : null);

/**
 * Return those of a list that are orders which the page can draw.
 *
 * @param {readonly any[]} values
 * @returns {PlannedOrder[]}
 */
export const ordersIn = (values) => values.filter(isOrder);

/**
 * Return what came over the wire as a row; null if the page could not draw it.
 *
 * @param {any} value
 * @returns {Item | Tombstone | null}
 */
export const rowOf = (value) => (isItem(value) || isTombstone(value) ? value : null);

/**
 * @param {any} value
 * @returns {Item | null}
 */
export const itemOf = (value) => (isItem(value) ? value : null);

/**
 * What people call a piece of equipment.
 *
 * @param {Pick<Item, "name" | "equipmentId">} item
 */
export const nameOf = (item) => item.name ?? item.equipmentId;
