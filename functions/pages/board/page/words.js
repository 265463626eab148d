/** What tiles, cards and the page of a machine say of it. */
import { isExact, sinceOf } from "./ages.js";
import { serverNowMs } from "./api.js";
import { personText } from "./directory.js";
import { element } from "./dom.js";
import { icon } from "./icons.js";
import { age, lasting, roughAge, sinceText, text, timeOf } from "./speech.js";
import { isAbnormal, isSeen, kindOf } from "./standing.js";

/**
 * @typedef {import("./pending.js").ShownItem} ShownItem
 * @typedef {{icon: import("./icons.js").Icon, text: string, label: string, kind: string}} Note
 */

/**
 * The state as a word: the machine's own, unless nothing is known of it.
 *
 * @param {ShownItem} item
 */
export function stateWord(item) {
  const kind = kindOf(item);
  if (kind === "silent") return text("state.silent");
  return kind === "unknown" ? text("state.unknown") : (item.state ?? "");
}

/**
 * How long it lasts, in a few characters; of a machine that runs, how long its last trouble is over.
 *
 * @param {ShownItem} item
 * @param {number} [firstMs]
 */
export function duration(item, firstMs) {
  const kind = kindOf(item);
  if (kind === "silent" && item.silentSince !== undefined) return age(serverNowMs() - Date.parse(item.silentSince));
  if (kind === "running") {
    if (item.stateSince === null) return "";
    return text("age.trouble", { age: roughAge(serverNowMs() - Date.parse(item.stateSince)) });
  }
  const since = sinceOf(item, firstMs);
  return since === null ? "" : lasting(since);
}

/**
 * The same as a sentence.
 *
 * @param {ShownItem} item
 * @param {number} [firstMs]
 */
export function sinceSentence(item, firstMs) {
  if (kindOf(item) === "silent" && item.silentSince !== undefined) {
    return text("since.silent", { time: timeOf(item.silentSince) });
  }
  const since = sinceOf(item, firstMs);
  return since === null ? "" : sinceText(since);
}

/**
 * Whether a row leaves open when its trouble began.
 *
 * @param {ShownItem} item
 * @param {number} [firstMs]
 */
export function isVague(item, firstMs) {
  const since = isAbnormal(item) ? sinceOf(item, firstMs) : null;
  return since !== null && !isExact(since, serverNowMs());
}

/**
 * Who deals with it, and what else there is to know.
 *
 * @param {ShownItem} item
 * @returns {Note[]}
 */
export function notesOf(item) {
  /** @type {Note[]} */
  const notes = [];
  if (isAbnormal(item)) notes.push(seenNote(item));
  if (item.operator !== undefined) notes.push(personNote("person", "note.operator", item.operator));
  if (item.escalatedTo !== undefined) notes.push(personNote("escalated", "note.escalated", item.escalatedTo));
  if (item.atRisk !== undefined) {
    notes.push({ icon: "risk", text: text("note.risk"), label: text("note.risk"), kind: "risk" });
  }
  if (isAbnormal(item) && item.silentSince !== undefined) {
    notes.push({ icon: "silent", text: text("note.silent"), label: text("note.silent"), kind: "silent" });
  }
  return notes;
}

/**
 * @param {ShownItem} item
 * @returns {Note}
 */
function seenNote(item) {
  if (!isSeen(item)) return { icon: "unseen", text: text("note.unseen"), label: text("note.unseen"), kind: "unseen" };
  const name = personText(item.acknowledgedBy ?? "");
  return { icon: "seen", text: name, label: text("note.seen", { name }), kind: "seen" };
}

/**
 * @param {"person" | "escalated"} kind
 * @param {"note.operator" | "note.escalated"} key
 * @param {string} id
 * @returns {Note}
 */
function personNote(kind, key, id) {
  const name = personText(id);
  return { icon: kind, text: text(key, { name }), label: text(`${key}.label`, { name }), kind };
}

/**
 * @param {Note} note
 */
export const noteElement = (note) =>
  element(
    "span",
    { class: `note note-${note.kind}`, title: note.label },
    icon(note.icon),
    element("span", { class: "hidden" }, note.label),
    element("span", { class: "note-text", "aria-hidden": "true" }, note.text),
  );
