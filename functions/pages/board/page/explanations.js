/**
 * Asks for the troubles that are over, and of which nobody has said what they were.
 *
 * A row of the board knows when trouble was reported last, not when it began: the story is asked for, once for each
 * trouble, where there are causes to choose from.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./unexplained.js").PastEpisode} PastEpisode
 * @typedef {import("./unexplained.js").Unexplained} Unexplained
 */
import { find, pathOf, serverNowMs } from "./api.js";
import { causesFor } from "./calls.js";
import { catalogOf } from "./catalogs.js";
import { candidatesIn, needsExplanation } from "./unexplained.js";

/** The story is another service's: it may know a little later that trouble is over. */
const AGAIN_MS = 10_000;

/** What is asked about a trouble. @typedef {{trouble: string, againMs: number, episode: PastEpisode | null}} Asked */

export class Explanations {
  /** @type {Map<string, Asked>} */
  #asked = new Map();
  #isAsking = false;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * Those of some machines whose last trouble is over and has no cause, the newest first; what is not known is asked.
   *
   * @param {readonly Item[]} items
   * @returns {Unexplained[]}
   */
  of(items) {
    const over = candidatesIn(items, serverNowMs());
    void this.#ask(over);
    return over.flatMap((item) => {
      const asked = this.#asked.get(item.equipmentId);
      const episode = asked?.trouble === item.stateSince ? asked.episode : null;
      return episode !== null && needsExplanation(item, episode) ? [{ item, episode }] : [];
    });
  }

  /**
   * Take note that somebody has said what it was: the board knows that a little later.
   *
   * @param {Unexplained} one
   */
  said({ item }) {
    this.#asked.set(item.equipmentId, { trouble: item.stateSince ?? "", againMs: Infinity, episode: null });
    this.onChange();
  }

  /** @param {readonly Item[]} items */
  async #ask(items) {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (const item of items.filter((one) => this.#isToAsk(one))) {
      const asked = { trouble: item.stateSince ?? "", againMs: performance.now() + AGAIN_MS, episode: null };
      this.#asked.set(item.equipmentId, asked);
      const known = await lastEpisodeOf(item).catch(() => undefined);
      if (known === undefined || this.#asked.get(item.equipmentId) !== asked) continue;
      this.#asked.set(item.equipmentId, { ...asked, againMs: Infinity, episode: known });
      if (known !== null) this.onChange();
    }
    this.#isAsking = false;
  }

  /** @param {Item} item */
  #isToAsk({ equipmentId, stateSince }) {
    const asked = this.#asked.get(equipmentId);
    return asked?.trouble !== stateSince || performance.now() > asked.againMs;
  }
}

/**
 * The newest trouble of a machine; null: there is none, or no cause to choose for it; undefined: it goes on.
 *
 * @param {Item} item
 * @returns {Promise<PastEpisode | null | undefined>}
 */
async function lastEpisodeOf({ equipmentId, factoryId, lineId }) {
  if (!causesFor(await catalogOf(factoryId), lineId).length) return null;
  const answer = await find(`${pathOf`/equipment/${equipmentId}/episodes`}?limit=1`);
  const { startedAt, endedAt } = answer?.body.items[0] ?? {};
  if (startedAt === undefined) return null;
  return endedAt === null ? undefined : { startedAt, endedAt };
}
