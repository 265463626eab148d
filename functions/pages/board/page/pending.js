/**
 * What a person did, shown before the view knows of it, and taken back if it is refused.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {Partial<Pick<Item, "operator" | "escalatedTo" | "acknowledgedBy">>} Changed
 * @typedef {{changed: Changed, state: string | null, isSent: boolean}} Pending
 * @typedef {Item & {isPending?: boolean}} ShownItem
 */

/** Behind an accepted deed, the view shows it at the latest with a read; then what is shown is what is known. */
const SHOWN_AT_MOST_MS = 15_000;

export class PendingDeeds {
  /** @type {Map<string, Pending>} */
  #pending = new Map();

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * Show a change while `send` is on its way; a refusal takes it back and is raised again.
   *
   * @template Answer
   * @param {Item} item
   * @param {Changed} changed
   * @param {() => Promise<Answer>} send
   * @returns {Promise<Answer>}
   */
  async during(item, changed, send) {
    const pending = { changed, state: item.state, isSent: false };
    this.#pending.set(item.equipmentId, pending);
    this.onChange();
    try {
      const answer = await send();
      pending.isSent = true;
      setTimeout(() => this.#drop(item.equipmentId, pending), SHOWN_AT_MOST_MS);
      return answer;
    } catch (error) {
      this.#drop(item.equipmentId, pending);
      throw error;
    }
  }

  /**
   * What to show of a machine.
   *
   * @param {Item} item
   * @returns {ShownItem}
   */
  shown(item) {
    const pending = this.#pending.get(item.equipmentId);
    if (pending === undefined || pending.state !== item.state) return item;
    if (pending.isSent && isIn(item, pending.changed)) {
      this.#pending.delete(item.equipmentId);
      return item;
    }
    return { ...item, ...pending.changed, isPending: !pending.isSent };
  }

  /**
   * @param {string} equipmentId
   * @param {Pending} pending
   */
  #drop(equipmentId, pending) {
    if (this.#pending.get(equipmentId) !== pending) return;
    this.#pending.delete(equipmentId);
    this.onChange();
  }
}

/**
 * Whether a row has what was changed; who was first to see a log may be somebody else.
 *
 * @param {Item} item
 * @param {Changed} changed
 */
function isIn(item, changed) {
  if (changed.acknowledgedBy !== undefined) return item.acknowledgedBy !== undefined;
  return Object.entries(changed).every(([name, value]) => item[/** @type {keyof Item} */ (name)] === value);
}
