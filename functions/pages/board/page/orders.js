/**
 * Orders of maintenance: which of them a machine's page shows, and how each stands. Pure.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./items.js").OpenOrder} OpenOrder
 * @typedef {import("./items.js").PlannedOrder} PlannedOrder
 * @typedef {"planned" | "overdue" | "maintenance" | "done" | "partly" | "skipped"} OrderKind  How an order stands.
 */
import { daysAfter, weekOf } from "./days.js";

const KIND = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * What tells an order of a machine from its others.
 *
 * @param {Pick<OpenOrder, "date" | "kind">} order
 */
export const keyOf = ({ date, kind }) => `${date} ${kind}`;

/**
 * What the API says of orders, those of before included: of each the newest version.
 *
 * @param {ReadonlyMap<string, PlannedOrder>} known  By key.
 * @param {readonly PlannedOrder[]} orders
 * @returns {ReadonlyMap<string, PlannedOrder>}
 */
export function newestOf(known, orders) {
  const newest = new Map(known);
  for (const order of orders) {
    const before = newest.get(keyOf(order));
    if (before === undefined || (before.version ?? 0) <= (order.version ?? 0)) newest.set(keyOf(order), order);
  }
  return newest;
}

/**
 * The open orders of a machine: those under way, the overdue one, the next one, then all others by day. What the API
 * says of an order is newer than what the board knows of it.
 *
 * @param {Item} item
 * @param {ReadonlyMap<string, PlannedOrder>} answered  By key.
 * @returns {OpenOrder[]}
 */
export function ordersOf({ underWay = [], overdue, nextOrder }, answered) {
  /** @type {Map<string, OpenOrder>} */
  const orders = new Map();
  for (const order of [...underWay, overdue, nextOrder]) {
    if (order === undefined) continue;
    const newer = answered.get(keyOf(order));
    if (newer?.status === "finished") continue;
    orders.set(keyOf(order), newer?.startedAt === undefined ? order : { ...order, startedAt: newer.startedAt });
  }
  const others = [...answered].filter(([key, { status }]) => !orders.has(key) && status !== "finished").map(([, order]) => order);
  return [...orders.values(), ...others.sort(byDay)];
}

/** @type {(one: OpenOrder, other: OpenOrder) => number} */
const byDay = (one, other) => (`${one.plannedFor} ${keyOf(one)}` < `${other.plannedFor} ${keyOf(other)}` ? -1 : 1);

/**
 * How an order of an agenda stands on a day.
 *
 * @param {PlannedOrder} order
 * @param {string} today
 * @returns {OrderKind}
 */
export function kindOfOrder({ status, result, plannedFor }, today) {
  if (status === "finished") return result ?? "done";
  if (status === "started") return "maintenance";
  return plannedFor < today ? "overdue" : "planned";
}

/**
 * The days of a week, each with its orders as they came.
 *
 * @param {string} day  Any of the week.
 * @param {readonly PlannedOrder[]} orders
 */
export const daysOf = (day, orders) =>
  weekOf(day).map((one) => ({ day: one, orders: orders.filter(({ plannedFor }) => plannedFor === one) }));

/**
 * The weeks before and after a day's, as days of them.
 *
 * @param {string} day
 */
export const beside = (day) => ({ before: daysAfter(day, -7), after: daysAfter(day, 7) });

/**
 * What somebody typed as a kind, as the API takes it; null if it does not.
 *
 * @param {string} typed
 */
export function kindIn(typed) {
  const kind = typed.trim().toLowerCase().replace(/\s+/g, "-");
  return KIND.test(kind) ? kind : null;
}
