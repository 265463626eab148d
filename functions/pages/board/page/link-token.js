/**
 * What the token of a link says, for whoever holds it to read. It is not verified here: the API does that, when they say
 * that they have seen it. See `andon/outbound/links.py` and `contract/links.py`.
 *
 * @typedef {{state: string, atMs: number, equipmentId: string}} LinkedLog
 * @typedef {{person: string, expiresMs: number, logs: LinkedLog[]}} Link
 */

const MAC_BYTES = 16;
const VERSION = 1;
const EXPIRY_BYTES = 5;
const REFERENCE = /^(\S+) (\d+) (.+)$/s;

/**
 * @param {string} token
 * @returns {Link | null} null: it is none
 */
export function linkIn(token) {
  try {
    const bytes = Uint8Array.from(atob(token.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const [version, ...rest] = bytes.subarray(MAC_BYTES);
    if (version !== VERSION) return null;
    const seconds = rest.slice(0, EXPIRY_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
    const [person, ...references] = JSON.parse(new TextDecoder().decode(Uint8Array.from(rest.slice(EXPIRY_BYTES))));
    const logs = references.map(logIn);
    return typeof person === "string" && logs.length ? { person, expiresMs: seconds * 1000, logs } : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} reference
 * @returns {LinkedLog}
 */
function logIn(reference) {
  const [, state, atMs, equipmentId] = REFERENCE.exec(reference) ?? [];
  if (state === undefined || equipmentId === undefined) throw new SyntaxError("this names no log");
  return { state, atMs: Number(atMs), equipmentId };
}
