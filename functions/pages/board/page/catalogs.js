/** The catalogs of factories, as the page knows them. */
import { find, pathOf } from "./api.js";
import { categoryIn } from "./calls.js";
import { catalogIn } from "./items.js";
import { isText, text } from "./speech.js";

/** @typedef {import("./items.js").Catalog} Catalog */

const REREAD_MS = 600_000;

/** @type {Map<string, Catalog | null>} */
const known = new Map();
/** @type {Map<string, number>} */
const askedMs = new Map();

/**
 * Read the catalog of a factory; null if it has none.
 *
 * @param {string | null} factoryId
 * @returns {Promise<Catalog | null>}
 */
export async function catalogOf(factoryId) {
  if (factoryId === null) return null;
  const answer = await find(pathOf`/factories/${factoryId}/catalog`);
  const catalog = answer === null ? null : catalogIn(answer.body);
  known.set(factoryId, catalog);
  return catalog;
}

/**
 * A category by the catalog, which is asked for beside; until then by its id.
 *
 * @param {string | null} factoryId
 * @param {string} id
 */
export function categoryOf(factoryId, id) {
  if (factoryId !== null && performance.now() > (askedMs.get(factoryId) ?? -Infinity)) {
    askedMs.set(factoryId, performance.now() + REREAD_MS);
    catalogOf(factoryId).catch(() => askedMs.delete(factoryId));
  }
  return categoryIn(known.get(factoryId ?? ""), id);
}

/**
 * @param {string | null} factoryId
 * @param {string} id
 */
export const categoryText = (factoryId, id) => categoryName(categoryOf(factoryId, id));

/** @param {import("./calls.js").CategoryTile} category */
export function categoryName({ id, name }) {
  const key = `call.of.${id}`;
  return name ?? (isText(key) ? text(key) : id);
}
