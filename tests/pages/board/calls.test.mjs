import assert from "node:assert/strict";
import { test } from "node:test";

import { callsIn, categoriesFor, causesFor, needsCause } from "../../../functions/pages/board/page/calls.js";
import { inEveryOrder, item } from "./items.mjs";

/** @type {(id: string, category: string, priority: number, second: number) => any} */
const call = (id, category, priority, second) => ({
  id,
  category,
  priority,
  version: 1,
  status: "raised",
  raisedAt: `2026-11-21T18:00:0${second}.000Z`,
});

const CATALOG = {
  categories: [
    { id: "material", name: "Material", icon: "box", priority: 2, needsCause: true },
    { id: "safety", name: "Safety", icon: "shield", priority: 1, needsCause: false },
  ],
  causes: [
    { id: "coils", name: "Out of coils", categories: ["material"] },
    { id: "guide", name: "Bent guide", categories: ["material"], lines: ["Line 9"] },
    { id: "drill", name: "A drill", categories: ["safety"] },
  ],
};

test("calls are in one order: by priority, then the oldest first, in whatever order machines come", () => {
  const machines = [
    item("a", { calls: [call("1", "material", 2, 5), call("2", "safety", 1, 9)] }),
    item("b", { calls: [call("3", "material", 2, 1)] }),
    item("c"),
  ];
  for (const order of inEveryOrder(machines)) {
    assert.deepEqual(
      callsIn(order).map(({ item: { equipmentId }, call: { id } }) => `${equipmentId}${id}`),
      ["a2", "b3", "a1"],
    );
  }
});

test("what is open already is not offered, and a factory without a catalog calls all the same", () => {
  const calling = item("a", { calls: [call("1", "safety", 1, 1)] });
  const ids = (/** @type {any} */ catalog, one = calling) => categoriesFor(catalog, one).map(({ id }) => id);

  assert.deepEqual(ids(CATALOG), ["material"]);
  assert.deepEqual(ids(CATALOG, item("b")), ["safety", "material"]);
  assert.deepEqual(ids(null), ["material", "machine", "quality"]);
});

test("a cause is one of the category and of the line", () => {
  const [of] = callsIn([item("a", { calls: [call("1", "material", 2, 1)] })]);
  const [there] = callsIn([item("b", { lineId: "Line 9", calls: [call("2", "material", 2, 1)] })]);
  assert.ok(of && there);

  assert.deepEqual(causesFor(CATALOG, of.item.lineId, of.call.category).map(({ id }) => id), ["coils"]);
  assert.deepEqual(causesFor(CATALOG, there.item.lineId, there.call.category).map(({ id }) => id), ["coils", "guide"]);
  assert.deepEqual(causesFor(CATALOG, "Line 1").map(({ id }) => id), ["coils", "drill"], "of trouble, those of all categories");
  assert.deepEqual([needsCause(CATALOG, of.call), needsCause(null, of.call)], [true, false]);
});
