import assert from "node:assert/strict";
import test from "node:test";

import { ordersIn, rowOf } from "../../../functions/pages/board/page/items.js";
import { GRACE_MS, isOlder, isSurprising, isTied, itemsOf, merge, mergeRead } from "../../../functions/pages/board/page/merge.js";
import { inEveryOrder, item } from "./items.mjs";

/** @type {(equipmentId: string, version: number) => import("../../../functions/pages/board/page/items.js").Tombstone} */
const gone = (equipmentId, version) => ({ equipmentId, version, gone: true });

/** @param {import("../../../functions/pages/board/page/merge.js").Board} board */
const shown = (board) => itemsOf(board).map(({ equipmentId, version }) => `${equipmentId}@${version}`).sort();

test("a board is the same in whatever order and however often messages arrive", () => {
  const messages = [
    item("press", { version: 1 }),
    item("press", { version: 2, state: "ERROR" }),
    gone("press", 3),
    item("press", { version: 4 }),
    item("oven", { version: 1 }),
    gone("oven", 2),
  ];

  for (const order of inEveryOrder(messages)) {
    const board = new Map();
    for (const row of [...order, ...order]) merge(board, row, 0);

    assert.deepEqual(shown(board), ["press@4"]);
  }
});

test("a board is the same in whatever order messages and a read arrive", () => {
  const read = [item("press", { version: 2 }), item("oven", { version: 5 })];
  const steps = [
    (/** @type {any} */ board) => merge(board, item("press", { version: 1 }), 0),
    (/** @type {any} */ board) => merge(board, item("press", { version: 2 }), 0),
    (/** @type {any} */ board) => merge(board, gone("mill", 7), 0),
    (/** @type {any} */ board) => merge(board, item("mill", { version: 6 }), 0),
    (/** @type {any} */ board) => mergeRead(board, read, { beganMs: 0, atMs: 0 }),
  ];

  for (const order of inEveryOrder(steps)) {
    const board = new Map();
    for (const step of order) step(board);

    assert.deepEqual(shown(board), ["oven@5", "press@2"]);
  }
});

test("what moves within the screen is gone from one place and in another at one version: it stays", () => {
  for (const order of inEveryOrder([item("press", { version: 3, lineId: "Line 2" }), gone("press", 3)])) {
    const board = new Map([["press", { row: item("press", { version: 2, lineId: "Line 1" }), atMs: 0 }]]);
    for (const row of order) merge(board, row, 0);

    assert.equal(itemsOf(board)[0]?.lineId, "Line 2");
  }
});

test("what a complete read lacks is gone, and an old message does not bring it back", () => {
  const board = new Map([["press", { row: item("press", { version: 4 }), atMs: 0 }]]);

  const news = mergeRead(board, [], { beganMs: GRACE_MS + 1, atMs: GRACE_MS + 2 });

  assert.equal(news, 1);
  assert.deepEqual(shown(board), []);
  assert.equal(merge(board, item("press", { version: 3 }), GRACE_MS + 3), false);
  assert.equal(merge(board, item("press", { version: 5 }), GRACE_MS + 4), true);
});

test("what came just before a read may be missing in it", () => {
  const board = new Map([["press", { row: item("press", { version: 4 }), atMs: 1000 }]]);

  assert.equal(mergeRead(board, [], { beganMs: 1000 + GRACE_MS - 1, atMs: 9000 }), 0);
  assert.deepEqual(shown(board), ["press@4"]);
});

test("a row that was repaired from a clock ahead is taken from a complete read, and a message asks for one", () => {
  const ahead = item("press", { version: 90, state: "ERROR" });
  const repaired = item("press", { version: 5 });
  const board = new Map([["press", { row: ahead, atMs: 0 }], ["oven", { row: gone("oven", 90), atMs: 0 }]]);
  const late = { beganMs: GRACE_MS - 1, atMs: GRACE_MS };

  assert.equal(isOlder(board, repaired), true);
  assert.equal(isOlder(board, item("press", { version: 91 })), false);
  mergeRead(board, [repaired, item("oven", { version: 5 })], late);
  assert.deepEqual(shown(board), ["press@90"]);
  mergeRead(board, [repaired, item("oven", { version: 5 })], { beganMs: GRACE_MS, atMs: GRACE_MS });
  assert.deepEqual(shown(board), ["oven@5", "press@5"]);
});

test("only what can be drawn is taken for a row", () => {
  const whole = item("press", { silentSince: "2026-11-21T10:00:00.000Z", atRisk: { since: "2026-11-21", reason: "r" } });
  const { state, ...stateless } = whole;
  const order = { date: "2026-11-21", kind: "lubrication", plannedFor: "2026-11-21" };
  const orders = [{ overdue: { ...order, plannedFor: "soon" } }, { nextOrder: { date: "2026-11-21" } }, { underWay: order }];
  const odd = [...orders, { underWay: [order] }, { version: 9e15 }, { stateSince: "soon" }, { name: 7 }, { atRisk: {} }, { location: "here" }, { gone: false }];

  assert.equal(rowOf(whole), whole);
  assert.ok(rowOf({ ...whole, overdue: order, nextOrder: order, underWay: [{ ...order, startedAt: "2026-11-21T10:00:00.000Z" }] }));
  assert.ok(rowOf({ ...gone("press", 3), member: "of a later version" }));
  for (const row of [stateless, { ...gone("press", 9e15) }, ...odd.map((members) => ({ ...whole, ...members })), null, 7]) {
    assert.equal(rowOf(row), null, JSON.stringify(row));
  }
});

test("a read that says what is known is no news", () => {
  const board = new Map();

  assert.equal(mergeRead(board, [item("press", { version: 1 })], { beganMs: 0, atMs: 0 }), 1);
  assert.equal(mergeRead(board, [item("press", { version: 1 })], { beganMs: 0, atMs: 0 }), 0);
  assert.equal(mergeRead(board, [item("press", { version: 2 })], { beganMs: 0, atMs: 0 }), 1);
});

test("a message of a machine that is not shown is to be confirmed", () => {
  const board = new Map([["oven", { row: gone("oven", 2), atMs: 0 }], ["mill", { row: item("mill"), atMs: 0 }]]);

  assert.equal(isSurprising(board, item("press")), true);
  assert.equal(isSurprising(board, item("oven", { version: 9 })), true);
  assert.equal(isSurprising(board, item("mill", { version: 9 })), false);
  assert.equal(isSurprising(board, gone("press", 9)), false);
});

test("a message that says something else at one version is to be settled by a read", () => {
  const board = new Map([["mill", { row: item("mill", { operator: "Eva" }), atMs: 0 }]]);

  assert.equal(isTied(board, item("mill", { operator: "Luis" })), true);
  assert.equal(isTied(board, item("mill", { operator: "Eva" })), false);
  assert.equal(isTied(board, item("mill", { version: 2, operator: "Luis" })), false);
});

test("only orders that can be drawn are taken for an agenda", () => {
  const order = { equipmentId: "a", date: "2026-11-21", kind: "lubrication", plannedFor: "2026-11-21", status: "planned" };
  const odd = [{ plannedFor: "2026-02-30" }, { status: "gone" }, { result: "well" }, { startedAt: "soon" }, { equipmentId: null }];

  assert.deepEqual(ordersIn([order, null, ...odd.map((members) => ({ ...order, ...members }))]), [order]);
});
