/**
 * What the page may claim about its connection. Pure.
 *
 * @typedef {object} Facts
 * @property {boolean} isSubscribed  The broker has confirmed it, and answers pings.
 * @property {boolean} isHeard  No read has found what messages should have brought.
 * @property {number | null} readAtMs  When the last complete read ended well.
 * @property {boolean} isReadable  The last read ended well.
 * @property {boolean} isRefused  There are no messages for whoever looks: they are at a factory, not at the company.
 *
 * @typedef {"starting" | "live" | "polling" | "reconnecting" | "lost"} Connection
 */

/** Reads come every 10 s while there are no messages; three that are missing are a loss. */
export const LOST_AFTER_MS = 35_000;

/**
 * @param {Facts} facts
 * @param {{nowMs: number, startedMs: number}} times
 * @returns {Connection}
 */
export function connectionOf(facts, { nowMs, startedMs }) {
  if (facts.isSubscribed && facts.isReadable && facts.readAtMs !== null) return facts.isHeard ? "live" : "polling";
  if (nowMs - (facts.readAtMs ?? startedMs) > LOST_AFTER_MS) return "lost";
  if (facts.readAtMs === null) return "starting";
  return facts.isRefused && facts.isReadable ? "polling" : "reconnecting";
}
