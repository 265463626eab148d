/**
 * Troubles that are over, and nobody has said what they were. Pure.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {{startedAt: string, endedAt: string}} PastEpisode
 * @typedef {{item: Item, episode: PastEpisode}} Unexplained
 */
import { NORMAL } from "./standing.js";

/** What was shorter is not asked about. */
const LASTED_MS = 300_000;

/** Nor what another shift may know better. */
const SHIFT_MS = 8 * 3_600_000;

/** So many are asked about, the newest first. */
const MOST = 20;

/**
 * The machines that run again since a while that is not long, the newest trouble first.
 *
 * @param {readonly Item[]} items
 * @param {number} nowMs
 */
export const candidatesIn = (items, nowMs) =>
  items
    .filter(({ state, stateSince }) => state === NORMAL && stateSince !== null && nowMs - Date.parse(stateSince) < SHIFT_MS)
    .sort((one, other) => Date.parse(other.stateSince ?? "") - Date.parse(one.stateSince ?? ""))
    .slice(0, MOST);

/**
 * Whether trouble that is over lasted long enough to be asked about, and has no cause.
 *
 * @param {Pick<Item, "lastCause">} item
 * @param {PastEpisode} episode
 */
export const needsExplanation = ({ lastCause }, { startedAt, endedAt }) =>
  Date.parse(endedAt) - Date.parse(startedAt) > LASTED_MS && lastCause?.startedAt !== startedAt;
