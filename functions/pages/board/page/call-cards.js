/** Cards of open calls: who needs what, where, and who comes. */
import { serverNowMs } from "./api.js";
import { openClosure, take } from "./call-dialogs.js";
import { callsIn } from "./calls.js";
import { categoryName, categoryOf } from "./catalogs.js";
import { personText } from "./directory.js";
import { drawByKey, element, fill, isNew, setAttribute } from "./dom.js";
import { icon, iconNamed } from "./icons.js";
import { nameOf } from "./items.js";
import { fragmentOf } from "./places.js";
import { may } from "./roles.js";
import { age, text } from "./speech.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./calls.js").ItemCall} ItemCall
 */

/** What a card's buttons are about: the call as it is by now. @type {WeakMap<Element, ItemCall>} */
const shown = new WeakMap();

/**
 * Draw the open calls of machines; return how many there are.
 *
 * @param {HTMLElement} list
 * @param {readonly import("./items.js").Item[]} items
 * @param {Context} context
 */
export function drawCalls(list, items, context) {
  const calls = callsIn(items);
  drawByKey(list, calls, {
    keyOf: ({ call }) => call.id,
    make: () => makeCard(context),
    update: (card, one) => updateCard(card, one, context),
  });
  list.hidden = !calls.length;
  return calls.length;
}

/** @param {Context} context */
function makeCard(context) {
  const card = element("li", { class: "card call", "data-kind": "call" }, element("a", { class: "card-link" }));
  if (!may(context.who, "call")) return card;
  /** @type {(act: (of: ItemCall, context: Context) => Promise<void>) => () => void} */
  const onCall = (act) => () => {
    const of = shown.get(card);
    if (of !== undefined) void act(of, context);
  };
  card.append(
    element(
      "div",
      { class: "deeds" },
      element("button", { type: "button", "data-deed": "take", onclick: onCall(take) }, icon("person"), text("call.take")),
      element("button", { type: "button", "data-deed": "close", onclick: onCall(openClosure) }, icon("running"), text("call.close")),
    ),
  );
  return card;
}

/**
 * @param {HTMLElement} card
 * @param {ItemCall} of
 * @param {Context} context
 */
function updateCard(card, of, context) {
  const { item, call } = of;
  const tile = categoryOf(item.factoryId, call.category);
  const [category, since] = [categoryName(tile), age(serverNowMs() - Date.parse(call.raisedAt))];
  const taker = call.taker === undefined ? text("call.nobody") : text("call.takenBy", { name: personText(call.taker) });
  shown.set(card, of);
  if (!isNew(card, nameOf(item), item.lineId, call, category, tile.icon, since, taker)) return;
  const link = /** @type {HTMLElement} */ (card.firstElementChild);
  setAttribute(link, "href", fragmentOf({ view: "machine", equipmentId: item.equipmentId }));
  fill(
    link,
    icon(iconNamed(tile.icon)),
    element("span", { class: "name" }, category),
    element("span", { class: "age" }, since),
    element("span", { class: "card-place" }, [nameOf(item), item.lineId].filter((part) => part).join(" · ")),
    element("span", { class: "notes" }, taker),
  );
  for (const button of card.querySelectorAll("button")) {
    const deed = /** @type {"take" | "close"} */ (button.dataset["deed"]);
    setAttribute(button, "aria-label", `${text(`call.${deed}`)}: ${category}, ${nameOf(item)}`);
    button.disabled = deed === "take" && call.taker === context.who?.subject;
  }
}
