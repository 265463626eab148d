// Where tokens are kept. A person's: in the tab, gone with it. A wall screen's: in the browser, so that a restart at
// night does not sign it out; they may only read. Both are readable by scripts of this origin, of which there are only
// the page's own: its security policy runs no other.

/**
 * `expiresAt` is in milliseconds of this device's clock.
 * @typedef {{access: string, refresh: string, expiresAt: number, wall: boolean}} Tokens
 */

/**
 * What is kept from the way to the sign-in page until the way back.
 * @typedef {{state: string, verifier: string, wall: boolean, place: string}} Pending
 */

const TOKENS = "andon.tokens";
const PENDING = "andon.pending";

/** @returns {Tokens | null} a person's go before those of the wall screen that the person uses for a moment */
export function kept() {
  return read(sessionStorage, TOKENS) ?? read(localStorage, TOKENS);
}

/** @param {Tokens} tokens */
export function keep(tokens) {
  sessionStorage.removeItem(TOKENS);
  (tokens.wall ? localStorage : sessionStorage).setItem(TOKENS, JSON.stringify(tokens));
}

/** Forget the tokens that are in use. */
export function drop() {
  const person = sessionStorage.getItem(TOKENS) !== null;
  (person ? sessionStorage : localStorage).removeItem(TOKENS);
}

/** @param {Pending} pending */
export function remember(pending) {
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
}

/** @returns {Pending | null} what was remembered, once */
export function takePending() {
  const pending = read(sessionStorage, PENDING);
  sessionStorage.removeItem(PENDING);
  return pending;
}

/**
 * Call back when another tab forgets a wall screen's tokens.
 * @param {() => void} callback
 */
export function onDroppedElsewhere(callback) {
  addEventListener("storage", ({ key, newValue }) => {
    if ((key === TOKENS || key === null) && newValue === null && !kept()) callback();
  });
}

/**
 * @param {Storage} storage
 * @param {string} key
 */
function read(storage, key) {
  const text = storage.getItem(key);
  return text === null ? null : JSON.parse(text);
}
