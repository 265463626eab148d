/**
 * What the page offers to whom. The API decides again; see `functions/contract/groups.py`.
 *
 * @typedef {{subject: string, name: string, groups: string[], readsOnly?: boolean}} Who  A wall screen only
 *   reads, whoever signed it in.
 * @typedef {"acknowledge" | "assign" | "escalate" | "raise" | "call" | "maintain" | "plan" | "roster" | "faults"} Deed
 */

const DEALS_WITH_LOGS = ["operator", "supervisor", "admin"];

/** @type {Record<Deed, readonly string[]>} */
const MAY = {
  acknowledge: DEALS_WITH_LOGS,
  assign: DEALS_WITH_LOGS,
  escalate: DEALS_WITH_LOGS,
  raise: [...DEALS_WITH_LOGS, "station"],
  call: DEALS_WITH_LOGS,
  maintain: ["operator", "supervisor", "admin"],
  plan: ["supervisor", "admin"],
  roster: ["supervisor", "admin"],
  faults: ["admin"],
};

/** What only those may do who are limited to no place. @type {readonly Deed[]} */
const EVERYWHERE_ONLY = ["faults"];

/** Who may read more than one machine. */
const READERS = ["admin", "analyst", "auditor", "operator", "privacy", "supervisor"];

/**
 * Whether this is the screen at a machine, which is named like it, and sees that one alone.
 *
 * @param {Who | null} who
 */
export const isStation = (who) => who !== null && who.groups.includes("station") && !who.groups.some((group) => READERS.includes(group));

/** @param {Who} who */
const isLimited = ({ groups }) => groups.some((group) => group.startsWith("at:")) && !groups.includes("at:*");

/**
 * @param {Who | null} who
 * @param {Deed} deed
 */
export const may = (who, deed) =>
  who !== null &&
  !who.readsOnly &&
  who.groups.some((group) => MAY[deed].includes(group)) &&
  !(EVERYWHERE_ONLY.includes(deed) && isLimited(who));
