/**
 * The names behind people's ids, as the directory has them: in memory alone, for ten minutes at most. Whoever is erased
 * is off every screen after five minutes; if the directory does not answer, after ten.
 *
 * @typedef {{id: string, name?: string, erased?: boolean}} Person  As the API answers.
 * @typedef {{name: string | null, isErased: boolean, atMs: number}} Known  `name`: null of whom nobody is known.
 * @typedef {{read: (ids: readonly string[]) => Promise<Person[]>, nowMs: () => number, chance: () => number}} Means
 */
import { beforeRetryMs } from "./backoff.js";

const AGAIN_MS = 300_000;
const KEPT_MS = 2 * AGAIN_MS;

/** The directory answers for so many at once. */
const AT_ONCE = 100; // andon.dynamodb.client.MOST_READ_AT_ONCE

const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:[a-z]{1,3}-?)?[0-9]{2,10})$/;
const SUBJECT_LENGTH = 36;

/**
 * Whether a text can be a person's id. One that cannot would spoil the request for all others.
 *
 * @param {string} text
 */
export const isPersonId = (text) => ID.test(text);

/**
 * An id, short enough for a tile: the beginning of a subject; a badge is short, and others begin alike.
 *
 * @param {string} id
 */
export const shortOf = (id) => (id.length < SUBJECT_LENGTH ? id : id.slice(0, 4));

export class People {
  /** @type {Map<string, Known>} */
  #known = new Map();
  /** Those whose names were needed since the last drawing began. @type {Set<string>} */
  #shown = new Set();
  #nextMs = -Infinity;
  #retryMs = -Infinity;
  #failures = 0;
  #isAsking = false;

  /** @param {Means} means */
  constructor(means) {
    this.means = means;
  }

  /**
   * What is known of somebody who is to be shown; undefined: nothing yet, or not any more.
   *
   * @param {string} id
   * @returns {Known | undefined}
   */
  find(id) {
    if (!isPersonId(id)) return undefined;
    this.#shown.add(id);
    const known = this.#known.get(id);
    return known !== undefined && this.means.nowMs() < known.atMs + KEPT_MS ? known : undefined;
  }

  /**
   * Ask about all who were shown since the last time, if one of them is new, or the names are five minutes old.
   *
   * @returns {Promise<boolean>} whether something was learned
   */
  async ask() {
    const shown = [...this.#shown];
    this.#shown.clear();
    const nowMs = this.means.nowMs();
    if (this.#isAsking || nowMs < this.#retryMs) return false;
    const isDue = nowMs >= this.#nextMs;
    if (isDue) this.#forget(shown);
    const ids = isDue ? shown : shown.filter((id) => !this.#known.has(id));
    if (!ids.length) return false;
    if (isDue) this.#nextMs = nowMs + AGAIN_MS;
    return this.#isLearned(ids);
  }

  /**
   * Ask about people before they are shown; those who are known are not asked about again.
   *
   * @param {readonly string[]} ids
   */
  async expect(ids) {
    const fresh = [...new Set(ids)].filter((id) => isPersonId(id) && !this.#known.has(id));
    if (fresh.length) await this.#read(fresh).catch(() => {}); // they are shown by their ids
  }

  /**
   * @param {readonly string[]} ids  Those who were asked about; whom the answer lacks nobody knows.
   * @param {readonly Person[]} people
   */
  learn(ids, people) {
    const atMs = this.means.nowMs();
    for (const id of ids) this.#known.set(id, { name: null, isErased: false, atMs });
    for (const { id, name, erased } of people) {
      this.#known.set(id, { name: (typeof name === "string" && name) || null, isErased: erased === true, atMs });
    }
  }

  /**
   * Keep only those who are shown: a page that stays open for months is not to collect names.
   *
   * @param {readonly string[]} shown
   */
  #forget(shown) {
    const needed = new Set(shown);
    for (const id of this.#known.keys()) if (!needed.has(id)) this.#known.delete(id);
  }

  /** @param {readonly string[]} ids */
  async #isLearned(ids) {
    this.#isAsking = true;
    try {
      await this.#read(ids);
      this.#failures = 0;
      return true;
    } catch {
      this.#retryMs = this.means.nowMs() + beforeRetryMs(this.#failures++, this.means.chance());
      this.#nextMs = -Infinity;
      return false;
    } finally {
      this.#isAsking = false;
    }
  }

  /** @param {readonly string[]} ids */
  async #read(ids) {
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE);
      this.learn(some, await this.means.read(some));
    }
  }
}
