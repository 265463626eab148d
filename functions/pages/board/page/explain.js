/** "What was it?": a person says the cause of trouble that is over. */
import { pathOf, write } from "./api.js";
import { isStale } from "./call-dialogs.js";
import { causesFor } from "./calls.js";
import { catalogOf } from "./catalogs.js";
import { CauseFields } from "./cause-fields.js";
import { DeedDialog } from "./deed-dialog.js";
import { drawByKey, element, fill, isNew } from "./dom.js";
import { nameOf } from "./items.js";
import { may } from "./roles.js";
import { age, text, timeOf } from "./speech.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./unexplained.js").Unexplained} Unexplained
 */

/** What a button is about by now. @type {WeakMap<Element, Unexplained>} */
const shown = new WeakMap();

/**
 * The list "To explain" of a view, with its heading.
 *
 * @param {Context} context
 */
export function explainSection(context) {
  const list = element("ul", { class: "rows to-explain" });
  const section = element("section", { "aria-labelledby": "explain", hidden: true }, element("h2", { id: "explain" }, text("explain")), list);
  /** @param {readonly Item[]} items */
  const draw = (items) => {
    const found = may(context.who, "call") ? context.explanations.of(items) : [];
    section.hidden = !found.length;
    drawByKey(list, found, { keyOf: ({ item }) => item.equipmentId, make: () => makeRow(context), update: updateRow });
  };
  return { section, draw };
}

/** @param {Context} context */
function makeRow(context) {
  const onclick = () => {
    const of = shown.get(row);
    if (of !== undefined) void openExplanation(of, context);
  };
  const row = element("li", {}, element("button", { type: "button", class: "explain", onclick }));
  return row;
}

/**
 * @param {HTMLElement} row
 * @param {Unexplained} of
 */
function updateRow(row, of) {
  const { item, episode } = of;
  shown.set(row, of);
  if (!isNew(row, nameOf(item), episode)) return;
  const button = /** @type {Element} */ (row.firstElementChild);
  fill(button, element("strong", {}, text("explain.ask", { name: nameOf(item) })), element("span", {}, spanText(episode)));
}

/** @param {import("./unexplained.js").PastEpisode} episode */
const spanText = ({ startedAt, endedAt }) =>
  text("explain.when", { from: timeOf(startedAt), to: timeOf(endedAt), age: age(Date.parse(endedAt) - Date.parse(startedAt)) });

/**
 * @param {Unexplained} of
 * @param {Context} context
 */
async function openExplanation(of, context) {
  const { item, episode } = of;
  const dialog = new DeedDialog(nameOf(item), text("explain.do"));
  const fields = new CauseFields();
  dialog.body.append(element("p", { class: "now" }, spanText(episode)), ...fields.elements);
  dialog.onSubmit = async () => {
    let words = text("explain.done", { name: nameOf(item) });
    try {
      await write("PUT", pathOf`/equipment/${item.equipmentId}/episodes/${episode.startedAt}/cause`, fields.said);
    } catch (error) {
      if (!isStale(error)) throw error;
      words = text("explain.faster", { name: nameOf(item) });
    }
    context.explanations.said(of);
    context.say(words);
    return true;
  };
  dialog.open();
  fields.offer(causesFor(await dialog.during(() => catalogOf(item.factoryId)), item.lineId), true);
}
