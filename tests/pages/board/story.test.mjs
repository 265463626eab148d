import assert from "node:assert/strict";
import test from "node:test";

import { linesIn, runsIn, wordsOf } from "../../../functions/pages/board/page/story-lines.js";

let number = 0;

/**
 * @param {string} type
 * @param {number} minute
 * @param {Partial<import("../../../functions/pages/board/page/story-lines.js").Entry>} members
 */
function entry(type, minute, members) {
  const at = `2026-11-21T10:${String(minute).padStart(2, "0")}:00.000Z`;
  return { type, at, timestamp: at, id: `${(number += 1)}`, ...members };
}

/** @param {number} minute @param {string} state */
const report = (minute, state) => entry("state-reported", minute, { state });
/** @param {number} minute @param {string} state */
const assigned = (minute, state) => entry("operator-assigned", minute, { state, operator: "Eva", by: "rule", rule: "assign" });

test("what came again and again is one line, until the state changes", () => {
  const story = [
    report(0, "WARNING1"),
    assigned(0, "WARNING1"),
    report(5, "WARNING1"),
    assigned(5, "WARNING1"),
    report(10, "ERROR"),
    assigned(10, "ERROR"),
    report(15, "WARNING1"),
  ];

  const lines = linesIn(story).map(({ entry: one, times }) => `${one.state ?? one.operator} ${times}`);

  assert.deepEqual(lines, ["WARNING1 2", "WARNING1 2", "ERROR 1", "ERROR 1", "WARNING1 1"]);
});

test("runs say what a machine was in from when to when", () => {
  const closed = { startedAt: "", endedAt: report(20, "NORMAL").at, story: [report(0, "WARNING1"), report(5, "WARNING1"), report(10, "ERROR"), report(20, "NORMAL")] };
  const open = { startedAt: "", endedAt: null, story: [report(30, "ERROR")] };
  const nowMs = Date.parse(report(40, "ERROR").at);

  const runs = runsIn([open, closed], nowMs).map((run) => [run.state, (run.toMs - run.fromMs) / 60_000]);

  assert.deepEqual(runs, [["WARNING1", 10], ["ERROR", 10], ["ERROR", 10]]);
});

test("an entry that the page has no words for says its type", () => {
  assert.deepEqual(wordsOf(entry("belt-changed", 0, {})).keys, ["entry.belt-changed", "entry.belt-changed", "entry.other"]);
  assert.equal(wordsOf(entry("operator-assigned", 0, { by: "rule", rule: "assign" })).keys[0], "entry.operator-assigned.rule");
});
