/** What a person does about calls: raises one with two taps, comes, closes it with its cause. */
import { find, pathOf, Refused, write } from "./api.js";
import { categoriesFor, causesFor, needsCause } from "./calls.js";
import { catalogOf, categoryName, categoryText } from "./catalogs.js";
import { DeedDialog } from "./deed-dialog.js";
import { element } from "./dom.js";
import { icon } from "./icons.js";
import { nameOf } from "./items.js";
import { problemText, text } from "./speech.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./calls.js").ItemCall} ItemCall
 * @typedef {import("./items.js").Item} Item
 */

const STALE = [412, 428];

/**
 * @param {Item} item
 * @param {Context} context
 */
export async function openRaise(item, context) {
  const name = nameOf(item);
  const dialog = new DeedDialog(text("call.raise.title", { name }), null);
  const tiles = element("div", { class: "call-tiles" });
  /** Made once for each, so that pressing again after a lost answer raises no second one. @type {Map<string, string>} */
  const ids = new Map();
  let chosen = { id: "", name: /** @type {string | null} */ (null) };
  dialog.body.append(tiles);
  dialog.onSubmit = async () => {
    const id = ids.get(chosen.id) ?? crypto.randomUUID();
    ids.set(chosen.id, id);
    const { etag } = await write("PUT", pathOf`/calls/${id}`, { equipmentId: item.equipmentId, category: chosen.id });
    const category = categoryName(chosen);
    context.say(text("call.raised", { category, name }), () => void undo({ id, etag, category }, context));
    return true;
  };
  dialog.open();
  const catalog = await dialog.during(() => catalogOf(item.factoryId));
  tiles.replaceChildren(
    ...categoriesFor(catalog, item).map((category) =>
      element("button", { class: "call-tile", onclick: () => (chosen = category) }, icon("call"), categoryName(category)),
    ),
  );
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

/**
 * @param {ItemCall} of
 * @param {Context} context
 */
export async function take({ item, call }, context) {
  await said(context, async () => {
    await write("PUT", pathOf`/calls/${call.id}/taker`, null, etagOf(call.version));
    return text("call.taken", { name: nameOf(item) });
  });
}

/**
 * @param {ItemCall} of
 * @param {Context} context
 */
export async function openClosure({ item, call }, context) {
  const category = categoryText(item.factoryId, call.category);
  const dialog = new DeedDialog(text("call.close.title", { category, name: nameOf(item) }), text("call.close.do"));
  const causes = element("fieldset", { hidden: true }, element("legend", {}, text("call.close.cause")));
  const note = element("input", { name: "note", maxlength: 1000, autocomplete: "off" });
  dialog.body.append(causes, element("label", {}, text("call.close.note"), note));
  /** @type {string | null} */
  let etag = etagOf(call.version);
  dialog.onSubmit = async () => {
    const cause = causes.querySelector("input:checked")?.getAttribute("value") ?? null;
    const body = { ...(cause === null ? {} : { cause }), ...(note.value.trim() ? { note: note.value.trim() } : {}) };
    try {
      await write("PUT", pathOf`/calls/${call.id}/closure`, body, etag);
    } catch (error) {
      if (!(error instanceof Refused && STALE.includes(error.status))) throw error;
      etag = (await find(pathOf`/calls/${call.id}`))?.etag ?? null;
      dialog.complain(text("call.changed"));
      return false;
    }
    context.say(text("call.closed", { category, name: nameOf(item) }));
    return true;
  };
  dialog.open();
  const catalog = await dialog.during(() => catalogOf(item.factoryId));
  const required = needsCause(catalog, call);
  for (const { id, name } of causesFor(catalog, { item, call })) {
    causes.append(element("label", { class: "choice-of cause" }, element("input", { type: "radio", name: "cause", value: id, required }), name));
  }
  causes.hidden = causes.childElementCount === 1;
}

/**
 * Do something that needs no dialog, and say what came of it.
 *
 * @param {Context} context
 * @param {() => Promise<string>} work
 */
async function said(context, work) {
  try {
    context.say(await work());
  } catch (error) {
    context.say(error instanceof Refused && STALE.includes(error.status) ? text("call.faster") : problemText(error));
  }
}

/** @param {number} version */
const etagOf = (version) => `"${version}"`;
