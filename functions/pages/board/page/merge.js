/**
 * The inverse oplock of the page: what it knows gives way to what is newer, in whatever order messages and reads arrive.
 *
 * `version` is the sum of the milliseconds of all of a row's oplocks. Each only grows, so does the sum, but where a row is
 * repaired: what a device's clock was ahead of is taken back. So a complete read wins over what was there well before it.
 *
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./items.js").Tombstone} Tombstone
 * @typedef {{row: Item | Tombstone, atMs: number}} Known  A row, and when the page got it or found it confirmed.
 * @typedef {Map<string, Known>} Board  By equipment.
 */

/** A read sees an index that is behind the messages; what came so shortly before is not missing yet. */
export const GRACE_MS = 4000;

/**
 * @param {Item | Tombstone} row
 * @returns {row is Tombstone}
 */
export const isGone = (row) => "gone" in row;

/**
 * Whether `known` gives way to `row`. A machine that moves within what the screen shows is gone from one place and in
 * another at one version: it is there.
 *
 * @param {Item | Tombstone | undefined} known
 * @param {Item | Tombstone} row
 */
export function givesWay(known, row) {
  if (known === undefined) return true;
  if (isGone(row) && !isGone(known)) return row.version > known.version;
  return row.version >= known.version;
}

/**
 * Take over a row, unless what is known is newer; return whether it was taken.
 *
 * @param {Board} board
 * @param {Item | Tombstone} row
 * @param {number} atMs
 */
export function merge(board, row, atMs) {
  if (!givesWay(board.get(row.equipmentId)?.row, row)) return false;
  board.set(row.equipmentId, { row, atMs });
  return true;
}

/**
 * Take over a complete read; return how many rows in it were news. A row whose version fell was repaired, and is no news
 * that a message had to bring.
 *
 * What the read lacks is gone, unless it came while the index may not have had it yet. Its version is kept, so that a
 * late message of before does not bring it back.
 *
 * @param {Board} board
 * @param {readonly Item[]} items
 * @param {{beganMs: number, atMs: number}} when
 */
export function mergeRead(board, items, { beganMs, atMs }) {
  const inRead = new Set(items.map((item) => item.equipmentId));
  let news = 0;
  for (const item of items) {
    const known = board.get(item.equipmentId);
    if (known === undefined || isGone(known.row) || item.version > known.row.version) news += 1;
    if (known === undefined || isSettled(known, beganMs)) board.set(item.equipmentId, { row: item, atMs });
    else merge(board, item, atMs);
  }
  for (const [equipmentId, known] of board) {
    if (inRead.has(equipmentId) || isGone(known.row) || !isSettled(known, beganMs)) continue;
    const row = /** @type {Tombstone} */ ({ equipmentId, version: known.row.version, gone: true });
    board.set(equipmentId, { row, atMs });
    news += 1;
  }
  return news;
}

/**
 * Whether the index has had what is known by the time that a read began.
 *
 * @param {Known} known
 * @param {number} beganMs
 */
const isSettled = (known, beganMs) => known.atMs <= beganMs - GRACE_MS;

/**
 * Whether a message is older than what is known: it was late, or its row was repaired. Only a read tells which.
 *
 * @param {Board} board
 * @param {Item | Tombstone} row
 */
export function isOlder(board, row) {
  const known = board.get(row.equipmentId)?.row;
  return !isGone(row) && known !== undefined && row.version < known.version;
}

/**
 * Whether a message is to be confirmed by a read: it is of a machine that the page does not show. A message that was
 * late can be older than a deletion that the page never heard of.
 *
 * @param {Board} board
 * @param {Item | Tombstone} row
 */
export function isSurprising(board, row) {
  const known = board.get(row.equipmentId)?.row;
  return !isGone(row) && (known === undefined || isGone(known));
}

/**
 * Whether a message says something else at the version that is known: only a read tells which of them is right.
 *
 * @param {Board} board
 * @param {Item | Tombstone} row
 */
export function isTied(board, row) {
  const known = board.get(row.equipmentId)?.row;
  if (known === undefined || known.version !== row.version || isGone(known) || isGone(row)) return false;
  return JSON.stringify(known) !== JSON.stringify(row);
}

/**
 * The rows to show.
 *
 * @param {Board} board
 * @returns {Item[]}
 */
export function itemsOf(board) {
  const rows = [...board.values()].map((known) => known.row);
  return /** @type {Item[]} */ (rows.filter((row) => !isGone(row)));
}
