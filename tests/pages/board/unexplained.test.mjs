import assert from "node:assert/strict";
import { test } from "node:test";

import { candidatesIn, needsExplanation } from "../../../functions/pages/board/page/unexplained.js";
import { inEveryOrder, item } from "./items.mjs";

const NOW_MS = Date.parse("2026-11-21T18:00:00.000Z");
const BEGAN = "2026-11-21T16:00:00.000Z";

test("who runs again since less than a shift may be asked about, the newest trouble first", () => {
  const machines = [
    item("a", { stateSince: "2026-11-21T17:00:00.000Z" }),
    item("b", { stateSince: "2026-11-21T17:30:00.000Z" }),
    item("stands", { state: "ERROR", stateSince: "2026-11-21T17:30:00.000Z" }),
    item("never", { stateSince: null }),
  ];
  for (const order of inEveryOrder([...machines, item("long ago", { stateSince: "2026-11-21T09:59:59.000Z" })])) {
    assert.deepEqual(candidatesIn(order, NOW_MS).map(({ equipmentId }) => equipmentId), ["b", "a"]);
  }
});

test("no more are asked about than a screen can hold", () => {
  const many = Array.from({ length: 30 }, (_, number) => item(`${number}`, { stateSince: BEGAN }));

  assert.equal(candidatesIn(many, NOW_MS).length, 20);
});

test("trouble of more than five minutes is asked about, unless its own cause is there", () => {
  const lasting = (/** @type {string} */ endedAt) => ({ startedAt: BEGAN, endedAt });

  assert.equal(needsExplanation({}, lasting("2026-11-21T16:05:00.000Z")), false);
  assert.equal(needsExplanation({}, lasting("2026-11-21T16:05:00.001Z")), true);
  assert.equal(needsExplanation({ lastCause: { startedAt: BEGAN, cause: "coils" } }, lasting("2026-11-21T17:00:00.000Z")), false);
  const earlier = { startedAt: "2026-11-21T11:00:00.000Z", cause: "coils" };
  assert.equal(needsExplanation({ lastCause: earlier }, lasting("2026-11-21T17:00:00.000Z")), true);
});
