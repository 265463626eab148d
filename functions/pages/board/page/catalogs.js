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
 * The catalog of a factory as far as it is known; it is asked for beside.
 *
 * @param {string | null} factoryId
 */
function knownOf(factoryId) {
  if (factoryId !== null && performance.now() > (askedMs.get(factoryId) ?? -Infinity)) {
    askedMs.set(factoryId, performance.now() + REREAD_MS);
    catalogOf(factoryId).catch(() => askedMs.delete(factoryId));
  }
  return known.get(factoryId ?? "");
}

/**
 * A category by the catalog, once that is known; until then by its id.
 *
 * @param {string | null} factoryId
 * @param {string} id
 */
export const categoryOf = (factoryId, id) => categoryIn(knownOf(factoryId), id);

/**
 * What people call a cause; until the catalog is known, or if it lacks it by now, its id.
 *
 * @param {string | null} factoryId
 * @param {string} id
 */
export const causeText = (factoryId, id) => knownOf(factoryId)?.causes.find((one) => one.id === id)?.name ?? id;

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
