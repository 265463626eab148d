/**
 * A machine that runs, but for the members that say otherwise.
 *
 * @param {string} equipmentId
 * @param {Partial<import("../../../functions/pages/board/page/items.js").Item>} [members]
 * @returns {import("../../../functions/pages/board/page/items.js").Item}
 */
export const item = (equipmentId, members = {}) => ({
  equipmentId,
  version: 1,
  name: equipmentId,
  location: null,
  factoryId: "Guadalajara",
  lineId: "Line 1",
  state: "NORMAL",
  stateSince: "2026-11-21T10:00:00.000Z",
  stateTimestamp: "2026-11-21T18:00:00.000Z",
  ...members,
});

/**
 * @template Thing
 * @param {Thing[]} things
 * @returns {Generator<Thing[]>}
 */
export function* inEveryOrder(things) {
  if (things.length < 2) yield things;
  for (const [index, first] of things.entries()) {
    const rest = things.toSpliced(index, 1);
    if (rest.length) for (const order of inEveryOrder(rest)) yield [first, ...order];
  }
}
