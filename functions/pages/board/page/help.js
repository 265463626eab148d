/** A machine that needs help, with what one can do about it. */
import { element, fill, isNew, setAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { nameOf } from "./items.js";
import { fragmentOf } from "./places.js";
import { text } from "./speech.js";
import { isAbnormal, isSeen, kindOf } from "./standing.js";
import { duration, isVague, noteElement, notesOf, sinceSentence, stateWord } from "./words.js";

/**
 * @typedef {import("./pending.js").ShownItem} ShownItem
 * @typedef {"acknowledge" | "assign" | "escalate"} LogDeed
 * @typedef {{mayDo: boolean, onDeed: (deed: LogDeed, equipmentId: string) => void}} Deeds
 */

/** @type {readonly LogDeed[]} */
export const LOG_DEEDS = ["acknowledge", "assign", "escalate"];

/**
 * @param {ShownItem} item
 * @param {Deeds} deeds
 */
export function makeCard(item, deeds) {
  const href = fragmentOf({ view: "machine", equipmentId: item.equipmentId });
  const card = element("li", { class: "card" }, element("a", { class: "card-link", href }));
  if (deeds.mayDo) card.append(deedButtons(item.equipmentId, deeds));
  return card;
}

/**
 * @param {HTMLElement} card
 * @param {ShownItem} item
 * @param {number} [firstMs]
 */
export function updateCard(card, item, firstMs) {
  const age = duration(item, firstMs);
  const notes = notesOf(item);
  if (!isNew(card, item, age, firstMs, notes)) return;
  setAttribute(card, "data-kind", kindOf(item));
  setAttribute(card, "data-pending", item.isPending ?? false);
  const place = [stateWord(item), item.lineId].filter((part) => part);
  fill(
    /** @type {HTMLElement} */ (card.firstElementChild),
    icon(kindOf(item)),
    element("span", { class: "name" }, nameOf(item)),
    element("span", { class: "age" }, age),
    element("span", { class: "card-place" }, place.join(" · ")),
    element(
      "span",
      { class: "notes" },
      ...notes.map(noteElement),
      isVague(item, firstMs) && element("span", { class: "since" }, sinceSentence(item, firstMs)),
    ),
  );
  updateDeeds(card, item);
}

/**
 * @param {string} equipmentId
 * @param {Deeds} deeds
 */
export const deedButtons = (equipmentId, { onDeed }) =>
  element(
    "div",
    { class: "deeds" },
    ...LOG_DEEDS.map((deed) =>
      element(
        "button",
        { type: "button", "data-deed": deed, onclick: () => onDeed(deed, equipmentId) },
        icon(deed === "acknowledge" ? "seen" : deed === "assign" ? "person" : "escalated"),
        text(`deed.${deed}`),
      ),
    ),
  );

/**
 * Offer only what can be done now: about a log that is abnormal, and to see it while nobody has.
 *
 * @param {HTMLElement} place
 * @param {ShownItem} item
 */
export function updateDeeds(place, item) {
  const bar = /** @type {HTMLElement | null} */ (place.querySelector(".deeds"));
  if (bar === null) return;
  const isAboutLog = isAbnormal(item) && item.stateTimestamp !== null;
  bar.hidden = !isAboutLog;
  for (const button of bar.querySelectorAll("button")) {
    const deed = button.dataset["deed"];
    setAttribute(button, "aria-label", `${text(`deed.${/** @type {LogDeed} */ (deed)}`)}: ${nameOf(item)}`);
    button.disabled = item.isPending === true || (deed === "acknowledge" && isSeen(item));
  }
}
