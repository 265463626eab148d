/** What a person does about an open call: comes, closes it with its cause. */
import { find, pathOf, Refused, write } from "./api.js";
import { causesFor, needsCause } from "./calls.js";
import { catalogOf, categoryText } from "./catalogs.js";
import { CauseFields } from "./cause-fields.js";
import { DeedDialog } from "./deed-dialog.js";
import { nameOf } from "./items.js";
import { problemText, text } from "./speech.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./calls.js").ItemCall} ItemCall
 */

const STALE = [412, 428];

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
  const fields = new CauseFields();
  dialog.body.append(...fields.elements);
  /** @type {string | null} */
  let etag = etagOf(call.version);
  dialog.onSubmit = async () => {
    try {
      await write("PUT", pathOf`/calls/${call.id}/closure`, fields.said, etag);
    } catch (error) {
      if (!isStale(error)) throw error;
      etag = (await find(pathOf`/calls/${call.id}`))?.etag ?? null;
      dialog.complain(text("call.changed"));
      return false;
    }
    context.say(text("call.closed", { category, name: nameOf(item) }));
    return true;
  };
  dialog.open();
  const catalog = await dialog.during(() => catalogOf(item.factoryId));
  fields.offer(causesFor(catalog, item.lineId, call.category), needsCause(catalog, call));
}

/**
 * Do something that needs no dialog, and say what came of it.
 *
 * @param {Context} context
 * @param {() => Promise<string>} work
 */
export async function said(context, work) {
  try {
    context.say(await work());
  } catch (error) {
    context.say(isStale(error) ? text("call.faster") : problemText(error));
  }
}

/**
 * Whether somebody else was faster.
 *
 * @param {unknown} error
 */
export const isStale = (error) => error instanceof Refused && STALE.includes(error.status);

/** @param {number} version */
const etagOf = (version) => `"${version}"`;
