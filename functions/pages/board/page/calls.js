/**
 * Calls for help: which are open, and what a factory calls for. Pure.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./items.js").OpenCall} OpenCall
 * @typedef {import("./items.js").Catalog} Catalog
 * @typedef {{item: Item, call: OpenCall}} ItemCall  A call, and the machine that it is at.
 * @typedef {{id: string, name: string | null, icon: string}} CategoryTile  Without a name it is called by its id.
 */

/** What a factory calls for that has no catalog: its calls need no cause. @type {readonly CategoryTile[]} */
const WITHOUT_CATALOG = [
  { id: "material", name: null, icon: "box" },
  { id: "machine", name: null, icon: "wrench" },
  { id: "quality", name: null, icon: "eye" },
  { id: "safety", name: null, icon: "shield" },
];

/** A screen has so many large tiles. */
const MOST_TILES = 12;

/**
 * The open calls of machines: by priority, 1 first; then the oldest first.
 *
 * @param {readonly Item[]} items
 * @returns {ItemCall[]}
 */
export const callsIn = (items) => items.flatMap((item) => (item.calls ?? []).map((call) => ({ item, call }))).sort(byUrgency);

/** @type {(one: ItemCall, other: ItemCall) => number} */
const byUrgency = ({ call: one }, { call: other }) =>
  one.priority - other.priority || (`${one.raisedAt} ${one.id}` < `${other.raisedAt} ${other.id}` ? -1 : 1);

/**
 * The categories to choose from, the most urgent first, but for those of which a call is open.
 *
 * @param {Catalog | null} catalog
 * @param {Item} item
 * @returns {CategoryTile[]}
 */
export function categoriesFor(catalog, { calls = [] }) {
  /** @type {readonly CategoryTile[]} */
  const all = catalog?.categories.toSorted((one, other) => one.priority - other.priority) ?? WITHOUT_CATALOG;
  const open = new Set(calls.map(({ category }) => category));
  return all.filter(({ id }) => !open.has(id)).slice(0, MOST_TILES);
}

/**
 * A category as a tile shows it; its catalog may be unknown yet, or lack it by now.
 *
 * @param {Catalog | null | undefined} catalog
 * @param {string} id
 * @returns {CategoryTile}
 */
export const categoryIn = (catalog, id) =>
  catalog?.categories.find((one) => one.id === id) ?? WITHOUT_CATALOG.find((one) => one.id === id) ?? { id, name: null, icon: "" };

/**
 * The causes of trouble on a line; of a call those of its category.
 *
 * @param {Catalog | null} catalog
 * @param {string | null} lineId
 * @param {string} [category]
 */
export const causesFor = (catalog, lineId, category) =>
  (catalog?.causes ?? []).filter(
    ({ categories, lines }) =>
      (category === undefined || categories.includes(category)) && (lines === undefined || lines.includes(lineId ?? "")),
  );

/**
 * @param {Catalog | null} catalog
 * @param {OpenCall} call
 */
export const needsCause = (catalog, { category }) => catalog?.categories.find(({ id }) => id === category)?.needsCause ?? false;
