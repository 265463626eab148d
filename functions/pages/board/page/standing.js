/**
 * How equipment stands, in the words of the board, and who needs help first. Pure.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {"error" | "warning" | "silent" | "overdue" | "unknown" | "maintenance" | "running"} Kind
 */
import { earliest } from "./ages.js";
import { nameOf } from "./items.js";

/** The most urgent first. @type {readonly Kind[]} */
export const KINDS = ["error", "warning", "silent", "overdue", "unknown", "maintenance", "running"];

export const NORMAL = "NORMAL";

const collator = new Intl.Collator(undefined, { numeric: true });

/**
 * A state is any name; one that is neither normal nor an error warns, also during maintenance.
 *
 * @param {Item} item
 * @returns {Kind}
 */
export function kindOf(item) {
  if (item.state !== null && item.state !== NORMAL) return item.state.startsWith("ERROR") ? "error" : "warning";
  if (isInMaintenance(item)) return "maintenance";
  if (item.silentSince !== undefined) return "silent";
  if (item.overdue !== undefined) return "overdue";
  return item.state === null ? "unknown" : "running";
}

/**
 * @param {Item} item
 */
export const isAbnormal = (item) => item.state !== null && item.state !== NORMAL;

/**
 * @param {Item} item
 */
export const isInMaintenance = (item) => (item.underWay ?? []).length > 0;

/**
 * @param {Item} item
 */
export const isSeen = (item) => item.acknowledgedBy !== undefined;

/**
 * @param {readonly Item[]} items
 * @returns {Record<Kind, number>}
 */
export function countsOf(items) {
  const counts = /** @type {Record<Kind, number>} */ (Object.fromEntries(KINDS.map((kind) => [kind, 0])));
  for (const item of items) counts[kindOf(item)] += 1;
  return counts;
}

/**
 * Who needs help: by kind, then what nobody has seen, then what has lasted longest.
 *
 * @param {readonly Item[]} items
 */
export function helpNeeded(items) {
  return items
    .filter((item) => isAbnormal(item) || item.silentSince !== undefined || item.overdue !== undefined)
    .sort(byUrgency);
}

/**
 * @param {Item} one
 * @param {Item} other
 */
function byUrgency(one, other) {
  return (
    KINDS.indexOf(kindOf(one)) - KINDS.indexOf(kindOf(other)) ||
    Number(isSeen(one)) - Number(isSeen(other)) ||
    compare(earliest(one), earliest(other)) ||
    compare(one.equipmentId, other.equipmentId)
  );
}

/**
 * Lines in their fixed order, each with its machines in theirs. What happens moves no tile.
 *
 * @param {readonly Item[]} items
 * @returns {{key: string, factoryId: string | null, lineId: string | null, items: Item[]}[]}
 */
export function linesOf(items) {
  const lines = new Map();
  for (const item of items) {
    const key = JSON.stringify([item.factoryId, item.lineId]);
    if (!lines.has(key)) lines.set(key, { key, factoryId: item.factoryId, lineId: item.lineId, items: [] });
    lines.get(key).items.push(item);
  }
  const ordered = [...lines.values()].sort((one, other) => inOrder(one, other, ["factoryId", "lineId"]));
  for (const line of ordered) line.items.sort(byName);
  return ordered;
}

/**
 * @param {Item} one
 * @param {Item} other
 */
function byName(one, other) {
  return collator.compare(nameOf(one), nameOf(other)) || compare(one.equipmentId, other.equipmentId);
}

/**
 * Missing names come last.
 *
 * @param {Record<string, any>} one
 * @param {Record<string, any>} other
 * @param {readonly string[]} members
 */
function inOrder(one, other, members) {
  for (const member of members) {
    const order =
      Number(one[member] === null) - Number(other[member] === null) ||
      collator.compare(one[member] ?? "", other[member] ?? "") ||
      compare(one[member] ?? "", other[member] ?? "");
    if (order) return order;
  }
  return 0;
}

/**
 * @param {string} one
 * @param {string} other
 */
const compare = (one, other) => (one < other ? -1 : Number(one > other));
