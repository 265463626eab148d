/** A call for help with two taps, and the way back for some seconds. */
import { pathOf, write } from "./api.js";
import { said } from "./call-dialogs.js";
import { categoriesFor } from "./calls.js";
import { catalogOf, categoryName } from "./catalogs.js";
import { DeedDialog } from "./deed-dialog.js";
import { element } from "./dom.js";
import { icon, iconNamed } from "./icons.js";
import { nameOf } from "./items.js";
import { may } from "./roles.js";
import { text } from "./speech.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./items.js").Item} Item
 */

/** The machine where whoever holds this screen was last. */
let lastAt = "";

/** @param {string} equipmentId */
export const rememberAt = (equipmentId) => void (lastAt = equipmentId);

/**
 * The button that calls for help at one of some machines.
 *
 * @param {Context} context
 * @param {() => readonly Item[]} itemsOf
 * @param {(call: any) => void} [onRaised]  Called with the call, as the API answers it.
 */
export const callButton = (context, itemsOf, onRaised) =>
  element(
    "button",
    { type: "button", class: "call-button", hidden: !may(context.who, "raise"), onclick: () => void openRaise(itemsOf(), context, onRaised) },
    icon("call"),
    text("call.raise"),
  );

/**
 * Ask what is needed; of several machines also where, unless it is known where this screen was last.
 *
 * @param {readonly Item[]} items
 * @param {Context} context
 * @param {(call: any) => void} [onRaised]
 */
async function openRaise(items, context, onRaised) {
  const [only] = items;
  if (only === undefined) return;
  const isOne = items.length === 1;
  const dialog = new DeedDialog(isOne ? text("call.raise.title", { name: nameOf(only) }) : text("call.raise"), null);
  const tiles = element("div", { class: "call-tiles" });
  const places = element("select", { name: "at", required: true, onchange: () => void offer() }, element("option", { value: "" }, ""));
  /** Made once for each, so that pressing again after a lost answer raises no second one. @type {Map<string, string>} */
  const ids = new Map();
  let raise = async () => false;

  /** @param {Item} item @param {import("./calls.js").CategoryTile} tile */
  const raising = (item, tile) => async () => {
    const [name, category, key] = [nameOf(item), categoryName(tile), JSON.stringify([item.equipmentId, tile.id])];
    const id = ids.get(key) ?? crypto.randomUUID();
    ids.set(key, id);
    const { etag, body } = await write("PUT", pathOf`/calls/${id}`, { equipmentId: item.equipmentId, category: tile.id });
    rememberAt(item.equipmentId);
    const mayReject = may(context.who, "call");
    context.say(text("call.raised", { category, name }), mayReject ? () => void undo({ id, etag, category }, context) : undefined);
    onRaised?.(body);
    return true;
  };

  async function offer() {
    const item = isOne ? only : items.find((one) => one.equipmentId === places.value);
    tiles.replaceChildren();
    if (item === undefined) return;
    const catalog = await dialog.during(() => catalogOf(item.factoryId));
    if (!isOne && item.equipmentId !== places.value) return; // another one was chosen since
    tiles.replaceChildren(
      ...categoriesFor(catalog, item).map((tile) =>
        element("button", { class: "call-tile", onclick: () => (raise = raising(item, tile)) }, icon(iconNamed(tile.icon)), categoryName(tile)),
      ),
    );
  }

  for (const one of isOne ? [] : items.toSorted((item, other) => nameOf(item).localeCompare(nameOf(other)))) {
    places.append(element("option", { value: one.equipmentId, selected: one.equipmentId === lastAt }, nameOf(one)));
  }
  if (!isOne) dialog.body.append(element("label", {}, text("call.raise.at"), places));
  dialog.body.append(tiles);
  dialog.onSubmit = () => raise();
  dialog.open();
  await offer();
}

/**
 * @param {{id: string, etag: string | null, category: string}} call
 * @param {Context} context
 */
async function undo({ id, etag, category }, context) {
  await said(context, async () => {
    await write("PUT", pathOf`/calls/${id}/rejection`, { reason: text("call.undo.reason") }, etag);
    return text("call.undone", { category });
  });
}
