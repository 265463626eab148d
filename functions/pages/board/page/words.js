/** What tiles, cards and the page of a machine say of it. */
import { isExact, sinceOf } from "./ages.js";
import { serverNowMs } from "./api.js";
import { DAY_MS, dayMs } from "./days.js";
import { personText } from "./directory.js";
import { element } from "./dom.js";
import { icon } from "./icons.js";
import { age, dayText, isText, lasting, roughAge, sinceText, text, timeOf } from "./speech.js";
import { isAbnormal, isInMaintenance, isSeen, kindOf } from "./standing.js";

/**
 * @typedef {import("./pending.js").ShownItem} ShownItem
 * @typedef {import("./items.js").OpenOrder} OpenOrder
 * @typedef {{icon: import("./icons.js").Icon, text: string, label: string, kind: string}} Note
 */

/** services.dispatch.rules.at_risk: REPEATED, WORSE */
const REPEATED = /^three abnormal reports in (\d+) minutes$/;
const WORSE = "ERROR after WARNING";

/**
 * The state as a word: the machine's own, unless nothing is known of it.
 *
 * @param {ShownItem} item
 */
export function stateWord(item) {
  const kind = kindOf(item);
  if (kind === "silent" || kind === "overdue" || kind === "maintenance") return text(`state.${kind}`);
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
  if (kind === "maintenance") return age(serverNowMs() - Date.parse(firstOf(item).startedAt));
  if (kind === "overdue" && item.overdue !== undefined) return age(serverNowMs() - endOf(item.overdue));
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
  const kind = kindOf(item);
  if (kind === "silent" && item.silentSince !== undefined) return text("since.silent", { time: timeOf(item.silentSince) });
  if (kind === "overdue" && item.overdue !== undefined) return plannedText(item.overdue);
  if (kind === "maintenance") {
    const { kind: order, startedAt } = firstOf(item);
    return text("since.maintenance", { order, time: timeOf(startedAt) });
  }
  const since = sinceOf(item, firstMs);
  return since === null ? "" : sinceText(since);
}

/**
 * The order that has been under way longest.
 *
 * @param {ShownItem} item  In maintenance.
 */
function firstOf({ underWay = [] }) {
  return underWay.reduce((first, one) => (one.startedAt < first.startedAt ? one : first));
}

/**
 * Why a machine is at risk: the API gives its rule's reason, in English.
 *
 * @param {string} reason
 */
export function riskText(reason) {
  if (reason === WORSE) return text("risk.worse");
  const minutes = REPEATED.exec(reason)?.[1];
  return minutes === undefined ? reason : text("risk.repeated", { count: Number(minutes) });
}

/** @param {OpenOrder} order */
export const plannedText = ({ kind, plannedFor }) => text("order.planned", { order: kind, day: dayText(plannedFor) });

/**
 * The end of the day that an order is planned for.
 *
 * @param {OpenOrder} order
 */
const endOf = ({ plannedFor }) => dayMs(plannedFor) + DAY_MS;

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
  if (item.calls?.length) notes.push(noteOf("call"));
  if (isAbnormal(item)) notes.push(seenNote(item));
  if (item.lastTold !== undefined) notes.push(toldNote(item.lastTold));
  else if (item.nobodyTold !== undefined) notes.push(noteOf("nobody"));
  if (item.operator !== undefined) notes.push(personNote("person", "note.operator", item.operator));
  if (item.escalatedTo !== undefined) notes.push(personNote("escalated", "note.escalated", item.escalatedTo));
  if (item.atRisk !== undefined) notes.push(noteOf("risk"));
  const kind = kindOf(item);
  if (isInMaintenance(item) && kind !== "maintenance") notes.push(noteOf("maintenance"));
  if (item.overdue !== undefined && kind !== "overdue") notes.push(noteOf("overdue"));
  if (isAbnormal(item) && item.silentSince !== undefined) notes.push(noteOf("silent"));
  if (item.disconnectedSince !== undefined) notes.push(noteOf("disconnected"));
  return notes;
}

/**
 * @param {"unseen" | "nobody" | "call" | "risk" | "silent" | "disconnected" | "maintenance" | "overdue"} kind
 * @returns {Note}
 */
const noteOf = (kind) => ({ icon: kind, text: text(`note.${kind}`), label: text(`note.${kind}`), kind });

/**
 * @param {ShownItem} item
 * @returns {Note}
 */
function seenNote(item) {
  if (!isSeen(item)) return noteOf("unseen");
  const name = personText(item.acknowledgedBy ?? "");
  return { icon: "seen", text: name, label: text("note.seen", { name }), kind: "seen" };
}

/**
 * @param {{person: string, channel: string, at: string}} told
 * @returns {Note}
 */
function toldNote({ person, channel, at }) {
  const key = `channel.${channel}`;
  const values = { name: personText(person), channel: isText(key) ? text(key) : channel, time: timeOf(at) };
  return { icon: "told", text: text("note.told", values), label: text("note.told.label", values), kind: "told" };
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
