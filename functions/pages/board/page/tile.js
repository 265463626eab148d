/** A machine in its place on the board. */
import { element, fill, isNew, setAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { nameOf } from "./items.js";
import { fragmentOf } from "./places.js";
import { kindOf } from "./standing.js";
import { duration, noteElement, notesOf, sinceSentence, stateWord } from "./words.js";

/** @typedef {import("./pending.js").ShownItem} ShownItem */

/** @param {ShownItem} item */
export const makeTile = (item) =>
  element(
    "li",
    { class: "tile" },
    element("a", { class: "tile-link", href: fragmentOf({ view: "machine", equipmentId: item.equipmentId }) }),
  );

/**
 * @param {HTMLElement} tile
 * @param {ShownItem} item
 * @param {number} [firstMs]
 */
export function updateTile(tile, item, firstMs) {
  const kind = kindOf(item);
  const age = duration(item, firstMs);
  const notes = notesOf(item);
  if (!isNew(tile, item, age, notes)) return;
  setAttribute(tile, "data-kind", kind);
  setAttribute(tile, "data-pending", item.isPending ?? false);
  const link = /** @type {HTMLElement} */ (tile.firstElementChild);
  fill(
    link,
    element("span", { class: "tile-name" }, icon(kind), element("span", { class: "name" }, nameOf(item))),
    element(
      "span",
      { class: "tile-state" },
      element("span", { class: "state" }, stateWord(item)),
      element("span", { class: "age", title: kind === "running" ? "" : sinceSentence(item, firstMs) }, age),
    ),
    element("span", { class: "notes" }, ...notes.map(noteElement)),
  );
}
