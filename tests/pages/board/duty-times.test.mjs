import assert from "node:assert/strict";
import test from "node:test";

import { minuteOf, takenOver, without } from "../../../functions/pages/board/page/duty-times.js";

const NOW = minuteOf("2026-11-23T12:00");
const ofDay = (/** @type {string} */ from, /** @type {string} */ to, role = "operator", person = "op-1") => ({
  from: `2026-11-23T${from}`,
  to: `2026-11-23T${to}`,
  role,
  person,
});
const taken = ofDay("12:00", "16:00", "operator", "op-2");

test("whoever takes over cuts who had taken over before, and leaves what is over out", () => {
  const before = [ofDay("06:00", "09:00"), ofDay("10:00", "13:00"), ofDay("13:00", "15:00"), ofDay("15:00", "20:00")];

  assert.deepEqual(takenOver(before, taken, NOW), [taken, ofDay("16:00", "20:00")]);
});

test("of one that is longer both ends are left, as far as they are not over", () => {
  const later = { ...taken, from: "2026-11-23T14:00" };

  assert.deepEqual(takenOver([ofDay("10:00", "20:00")], later, NOW), [ofDay("10:00", "14:00"), later, ofDay("16:00", "20:00")]);
});

test("another role stays as it was", () => {
  const supervisor = ofDay("10:00", "20:00", "supervisor");

  assert.deepEqual(takenOver([supervisor], taken, NOW), [supervisor, taken]);
});

test("one that is ended now was there until now", () => {
  assert.deepEqual(without([ofDay("10:00", "20:00")], { ...taken, to: "2026-11-23T20:00" }, NOW - 60), [ofDay("10:00", "12:00")]);
  assert.deepEqual(without([ofDay("10:00", "20:00")], { ...taken, to: "2026-11-23T20:00" }, NOW), []);
});
