import { isDay } from "./days.js";

/**
 * Where one is on the page, as the fragment of the address.
 *
 * @typedef {{view: "choose"}} Choose
 * @typedef {{view: "board", company: string, factoryId?: string, lineId?: string}} BoardPlace
 * @typedef {{view: "machine", equipmentId: string}} MachinePlace
 * @typedef {{view: "agenda", company: string, factoryId: string, day?: string}} AgendaPlace  The week of a day, as
 *   `2026-11-30`; without one, this week.
 * @typedef {{view: "duty", company: string, factoryId: string}} DutyPlace
 * @typedef {{view: "link", token: string}} LinkPlace  Where the link of a message leads to.
 * @typedef {{view: "me"} | {view: "faults"}} Single
 * @typedef {Choose | BoardPlace | MachinePlace | AgendaPlace | DutyPlace | LinkPlace | Single} Place
 */

/** The link of a message: what stands behind it was signed. */
const LINK = /^#a=([\w-]+)$/;

/**
 * Read a fragment; what is no place leads to the choice.
 *
 * @param {string} fragment
 * @returns {Place}
 */
export function placeOf(fragment) {
  const token = LINK.exec(fragment)?.[1];
  if (token !== undefined) return { view: "link", token };
  const [view, ...parts] = decoded(fragment.replace(/^#\/?/, ""));
  const [first, second, third] = parts;
  if (view === "board" && first && parts.length <= 3) {
    return { view, company: first, ...(second ? { factoryId: second } : {}), ...(third ? { lineId: third } : {}) };
  }
  if (view === "agenda" && first && second && parts.length <= 3 && (third === undefined || isDay(third))) {
    return { view, company: first, factoryId: second, ...(third ? { day: third } : {}) };
  }
  if (view === "duty" && first && second && parts.length === 2) return { view, company: first, factoryId: second };
  if (view === "equipment" && first && parts.length === 1) return { view: "machine", equipmentId: first };
  return (view === "faults" || view === "me") && !parts.length ? { view } : { view: "choose" };
}

/**
 * Write a place as a fragment.
 *
 * @param {Place} place
 */
export function fragmentOf(place) {
  return place.view === "link" ? `#a=${place.token}` : `#/${partsOf(place).map(encodeURIComponent).join("/")}`;
}

/**
 * @param {Exclude<Place, LinkPlace>} place
 * @returns {string[]}
 */
function partsOf(place) {
  if (place.view === "machine") return ["equipment", place.equipmentId];
  if (place.view === "faults" || place.view === "me") return [place.view];
  if (place.view === "choose") return [];
  if (place.view === "agenda") {
    return ["agenda", place.company, place.factoryId, ...(place.day === undefined ? [] : [place.day])];
  }
  if (place.view === "duty") return ["duty", place.company, place.factoryId];
  const { company, factoryId, lineId } = place;
  return ["board", ...[company, factoryId, lineId].filter((part) => part !== undefined)];
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function decoded(path) {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return []; // a percent sign that encodes nothing
  }
}

/**
 * Whether a machine hangs on this board. One whose row is older than the board's knowledge of factories hangs on each of
 * its company's: nobody is to miss it.
 *
 * @param {BoardPlace} place
 * @param {{factoryId: string | null, lineId: string | null}} item
 */
export function isAt(place, item) {
  if (item.factoryId === null) return true;
  return (
    (place.factoryId === undefined || place.factoryId === item.factoryId) &&
    (place.lineId === undefined || place.lineId === item.lineId)
  );
}
