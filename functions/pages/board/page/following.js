/**
 * The board of a company, kept right: messages as they come, and reads for what messages cannot promise.
 *
 * After each subscription it reads all, and again after 5 s: a broker may take messages up a little after it has confirmed,
 * and the index that is read is eventually consistent. Then every 5 minutes; every 10 s as long as no messages come, or
 * where there are none for whoever looks.
 */
import { get, getAll, pathOf, Refused, serverNowMs } from "./api.js";
import { beforeRetryMs, jittered } from "./backoff.js";
import { connectionOf } from "./connection.js";
import { itemOf, rowOf } from "./items.js";
import { isOlder, isSurprising, isTied, itemsOf, merge, mergeRead } from "./merge.js";
import { Subscription } from "./subscription.js";

const SETTLED_MS = 5000;
const UNHEARD_MS = 10_000;
const HEARD_MS = 300_000;
const PAGE = 1_000; // andon.http.page.MAX_LIMIT
const FORBIDDEN = 403;

/** The index has what two messages of one version disagree about. */
const TIED_MS = 1500;

/** A message may come so long after a read has found its news. */
const MESSAGE_WITHIN_MS = 5000;

export class Following {
  /** @type {import("./merge.js").Board} */
  #board = new Map();
  #startedMs = performance.now();
  /** @type {Subscription | null} */
  #subscription = null;
  #isSubscribed = false;
  /** Messages are for who is at the company: who is at a factory of it reads alone. */
  #isRefused = false;
  #subscribedMs = 0;
  #failures = 0;
  #isOver = false;
  #isConnecting = false;
  #retry = 0;
  #isReading = false;
  #isReadable = true;
  /** @type {number | null} */
  #readAtMs = null;
  #timer = 0;
  #nextReadMs = Infinity;
  #unheardMs = UNHEARD_MS;
  /** @type {number | null} */
  #messageAtMs = null;
  /** When a read found what no message has said. @type {number | null} */
  #newsAtMs = null;
  /** Why the last read failed. @type {unknown} */
  problem = null;
  /** The server's time of the last read that ended well. @type {number | null} */
  asOfMs = null;
  /** Rows of that read that could not be drawn, and are left out. */
  unreadable = 0;

  /**
   * @param {string} company
   * @param {() => void} onChange
   */
  constructor(company, onChange) {
    this.company = company;
    this.onChange = onChange;
    this.#connect();
    this.#readWithin(0);
    addEventListener("online", this.#hurry);
    document.addEventListener("visibilitychange", this.#hurry);
  }

  close() {
    this.#isOver = true;
    this.#subscription?.close();
    clearTimeout(this.#retry);
    clearTimeout(this.#timer);
    removeEventListener("online", this.#hurry);
    document.removeEventListener("visibilitychange", this.#hurry);
  }

  get items() {
    return itemsOf(this.#board);
  }

  get isLoaded() {
    return this.#readAtMs !== null;
  }

  get connection() {
    const facts = {
      isSubscribed: this.#isSubscribed,
      isRefused: this.#isRefused,
      isHeard: !this.#isMissingMessages(),
      isReadable: this.#isReadable,
      readAtMs: this.#readAtMs,
    };
    return connectionOf(facts, { nowMs: performance.now(), startedMs: this.#startedMs });
  }

  /** Read soon: a person did something whose message may get lost. */
  refresh() {
    this.#readWithin(SETTLED_MS);
  }

  /**
   * Take over a row that was read by itself.
   *
   * @param {import("./items.js").Item} item
   */
  learn(item) {
    merge(this.#board, item, performance.now());
  }

  async #connect() {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    clearTimeout(this.#retry);
    try {
      const { body } = await get(pathOf`/board/${this.company}/changes`);
      if (this.#isOver) return;
      this.#isRefused = false;
      this.#subscription = new Subscription(body, {
        onSubscribed: () => this.#subscribed(),
        onMessage: (payload) => this.#message(payload),
        onEnd: () => this.#ended(),
      });
    } catch (error) {
      this.#isRefused = error instanceof Refused && error.status === FORBIDDEN;
      this.#ended();
    } finally {
      this.#isConnecting = false;
    }
  }

  #subscribed() {
    this.#isSubscribed = true;
    this.#subscribedMs = performance.now();
    this.#messageAtMs = this.#newsAtMs = null;
    this.#unheardMs = UNHEARD_MS;
    this.#readWithin(0);
    this.onChange();
  }

  #ended() {
    if (this.#isOver) return;
    const lasted = this.#isSubscribed && performance.now() - this.#subscribedMs > SETTLED_MS;
    this.#isSubscribed = false;
    this.#subscription = null;
    this.#failures = lasted ? 0 : this.#failures + 1;
    const pauseMs = this.#isRefused ? HEARD_MS : beforeRetryMs(lasted ? 0 : this.#failures - 1, Math.random());
    this.#retry = setTimeout(() => this.#connect(), pauseMs);
    this.#readWithin(jittered(UNHEARD_MS, Math.random()));
    this.onChange();
  }

  /** @param {string} payload */
  #message(payload) {
    this.#messageAtMs = performance.now();
    const row = rowIn(payload);
    if (row === null || isSurprising(this.#board, row)) this.#readWithin(SETTLED_MS);
    else if (isTied(this.#board, row)) this.#readWithin(TIED_MS);
    else if (isOlder(this.#board, row)) this.#readWithin(jittered(UNHEARD_MS, Math.random()));
    if (row !== null && merge(this.#board, row, this.#messageAtMs)) this.onChange();
  }

  /** Wake up with the screen, or with the network. */
  #hurry = () => {
    if (document.visibilityState === "hidden") return;
    if (this.#subscription === null) {
      this.#failures = 0;
      this.#connect();
    }
    this.#readWithin(0);
  };

  /** @param {number} ms */
  #readWithin(ms) {
    const atMs = performance.now() + ms;
    if (this.#isOver || atMs >= this.#nextReadMs) return;
    this.#nextReadMs = atMs;
    clearTimeout(this.#timer);
    if (!this.#isReading) this.#timer = setTimeout(() => this.#read(), ms);
  }

  async #read() {
    const beganMs = performance.now();
    this.#isReading = true;
    this.#nextReadMs = Infinity;
    try {
      const items = await getAll(`${pathOf`/board/${this.company}`}?limit=${PAGE}`);
      this.#take(items, beganMs);
    } catch (error) {
      this.#isReadable = false;
      this.problem = error;
    }
    this.#isReading = false;
    if (this.#isOver) return;
    const nextMs = Math.min(this.#nextReadMs - performance.now(), this.#pauseMs(beganMs));
    this.#nextReadMs = Infinity;
    this.#readWithin(Math.max(0, nextMs));
    this.onChange();
  }

  /**
   * @param {unknown[]} read
   * @param {number} beganMs
   */
  #take(read, beganMs) {
    const items = read.map(itemOf).filter((item) => item !== null);
    this.unreadable = read.length - items.length;
    const atMs = performance.now();
    const isSettled = this.#isSubscribed && beganMs > this.#subscribedMs + SETTLED_MS + MESSAGE_WITHIN_MS;
    const news = mergeRead(this.#board, items, { beganMs, atMs });
    if (news && isSettled) {
      this.#newsAtMs = atMs;
      this.#unheardMs = UNHEARD_MS;
    }
    this.#readAtMs = atMs;
    this.asOfMs = serverNowMs();
    this.#isReadable = true;
    this.problem = null;
  }

  /** @param {number} beganMs */
  #pauseMs(beganMs) {
    if (this.#isSubscribed && beganMs < this.#subscribedMs + SETTLED_MS) return SETTLED_MS;
    if (!this.#isSubscribed || !this.#isReadable) return jittered(UNHEARD_MS, Math.random());
    if (this.#messageAtMs !== null && !this.#isMissingMessages()) return jittered(HEARD_MS, Math.random());
    // A factory may be quiet, too: ask less and less often, until a read finds news again.
    this.#unheardMs = Math.min(HEARD_MS, this.#unheardMs * 2);
    return jittered(this.#unheardMs / 2, Math.random());
  }

  /** Whether a read found news, and no message has come about that time or since. */
  #isMissingMessages() {
    if (this.#newsAtMs === null || performance.now() < this.#newsAtMs + MESSAGE_WITHIN_MS) return false;
    return this.#messageAtMs === null || this.#messageAtMs < this.#newsAtMs - MESSAGE_WITHIN_MS;
  }
}

/**
 * @param {string} payload
 */
function rowIn(payload) {
  try {
    return rowOf(JSON.parse(payload));
  } catch {
    return null;
  }
}
