/**
 * When the trouble of a machine began, better than its row knows.
 *
 * A row has the newest report of the current state. A page that watches saw earlier ones; one that was opened later asks
 * for the story, once for each trouble.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {{type: string, at: string, state?: string, timestamp: string}} Entry
 * @typedef {{startedAt: string, endedAt: string | null, story: Entry[]}} Episode
 */
import { find, pathOf } from "./api.js";
import { isAbnormal } from "./standing.js";

const REPORT = "state-reported";

export class Starts {
  /** The earliest known report of the trouble that a machine is in. @type {Map<string, {trouble: string, ms: number}>} */
  #first = new Map();
  /** The trouble whose story was asked for. @type {Map<string, string>} */
  #asked = new Map();
  #isAsking = false;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** @param {Item} item */
  of(item) {
    const first = this.#first.get(item.equipmentId);
    return first?.trouble === troubleOf(item) ? first.ms : undefined;
  }

  /**
   * Note what these rows say.
   *
   * @param {readonly Item[]} items
   */
  note(items) {
    for (const item of items) {
      if (isAbnormal(item) && item.stateTimestamp !== null) this.#keep(item, Date.parse(item.stateTimestamp));
    }
  }

  /**
   * Ask for the stories of these machines, one after the other; a failure leaves what the row says.
   *
   * @param {readonly Item[]} items
   */
  async ask(items) {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (const item of items.filter((one) => this.#asked.get(one.equipmentId) !== troubleOf(one))) {
      this.#asked.set(item.equipmentId, troubleOf(item));
      const firstMs = await firstReportOf(item).catch(() => null);
      if (firstMs !== null) this.#keep(item, firstMs);
    }
    this.#isAsking = false;
  }

  /**
   * @param {Item} item
   * @param {number} ms
   */
  #keep(item, ms) {
    const known = this.of(item);
    if (known !== undefined && known <= ms) return;
    this.#first.set(item.equipmentId, { trouble: troubleOf(item), ms });
    if (known !== undefined) this.onChange();
  }
}

/** @param {Item} item */
const troubleOf = (item) => JSON.stringify([item.state, item.stateSince]);

/** @param {Item} item */
async function firstReportOf(item) {
  const answer = await find(`${pathOf`/equipment/${item.equipmentId}/episodes`}?limit=1`);
  return answer === null ? null : firstIn(answer.body.items[0], item);
}

/**
 * The first report of the current state in a story: the one behind the last report of any other state.
 *
 * @param {Episode | undefined} episode
 * @param {Item} item
 */
export function firstIn(episode, item) {
  const since = item.stateSince ?? "";
  const reports = (episode?.story ?? []).filter((entry) => entry.type === REPORT && entry.state === item.state);
  const times = reports.map((entry) => entry.timestamp).filter((time) => time > since);
  return times.length ? Date.parse(times.sort()[0] ?? "") : null;
}
