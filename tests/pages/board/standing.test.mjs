import assert from "node:assert/strict";
import test from "node:test";

import { ageOf, isExact, roughAgeOf, sinceOf } from "../../../functions/pages/board/page/ages.js";
import { beforeRetryMs, jittered } from "../../../functions/pages/board/page/backoff.js";
import { connectionOf, LOST_AFTER_MS } from "../../../functions/pages/board/page/connection.js";
import { fragmentOf, isAt, placeOf } from "../../../functions/pages/board/page/places.js";
import { may } from "../../../functions/pages/board/page/roles.js";
import { daysAfter, isDay, weekOf } from "../../../functions/pages/board/page/days.js";
import { daysOf, keyOf, kindIn, kindOfOrder, newestOf, ordersOf } from "../../../functions/pages/board/page/orders.js";
import { countsOf, helpNeeded, kindOf, linesOf } from "../../../functions/pages/board/page/standing.js";
import { inEveryOrder, item } from "./items.mjs";

const UNITS = { now: "now", min: "min", h: "h", d: "d" };
const MINUTE = 60_000;

const overdue = { date: "2026-11-18", kind: "lubrication", plannedFor: "2026-11-19" };
const underWay = [{ date: "2026-11-21", kind: "inspection", plannedFor: "2026-11-21", startedAt: "2026-11-21T17:00:00.000Z" }];

test("a machine is of the most urgent kind that it can be", () => {
  const silentSince = "2026-11-21T18:00:00.000Z";

  assert.equal(kindOf(item("a")), "running");
  assert.equal(kindOf(item("a", { state: "ERROR" })), "error");
  assert.equal(kindOf(item("a", { state: "WARNING4" })), "warning");
  assert.equal(kindOf(item("a", { state: "JAMMED" })), "warning");
  assert.equal(kindOf(item("a", { state: null, stateTimestamp: null })), "unknown");
  assert.equal(kindOf(item("a", { silentSince })), "silent");
  assert.equal(kindOf(item("a", { state: "ERROR", silentSince })), "error");
  assert.equal(kindOf(item("a", { overdue })), "overdue");
  assert.equal(kindOf(item("a", { overdue, silentSince })), "silent");
  assert.equal(kindOf(item("a", { overdue, underWay })), "maintenance");
  assert.equal(kindOf(item("a", { state: null, underWay })), "maintenance");
  assert.equal(kindOf(item("a", { state: "ERROR", underWay })), "error");
  assert.equal(kindOf(item("a", { underWay: [] })), "running");
});

test("help is ordered by kind, then by what nobody has seen, then by age, in whatever order rows come", () => {
  const rows = [
    item("old-error", { state: "ERROR", stateSince: "2026-11-21T09:00:00.000Z" }),
    item("new-error", { state: "ERROR", stateSince: "2026-11-21T17:00:00.000Z" }),
    item("seen-error", { state: "ERROR", stateSince: "2026-11-21T08:00:00.000Z", acknowledgedBy: "s" }),
    item("warning", { state: "WARNING1" }),
    item("silent", { silentSince: "2026-11-21T07:00:00.000Z" }),
    item("running"),
  ];

  for (const order of inEveryOrder(rows)) {
    const names = helpNeeded(order).map((row) => row.equipmentId);

    assert.deepEqual(names, ["old-error", "new-error", "seen-error", "warning", "silent"]);
  }
});

test("what is overdue needs help after what is silent, the oldest first, and last where somebody is at it", () => {
  const rows = [
    item("silent", { silentSince: "2026-11-21T07:00:00.000Z" }),
    item("late", { overdue }),
    item("later", { overdue: { ...overdue, plannedFor: "2026-11-20" } }),
    item("under-way", { overdue, underWay }),
    item("maintained", { underWay }),
  ];

  for (const order of inEveryOrder(rows)) {
    assert.deepEqual(helpNeeded(order).map((row) => row.equipmentId), ["silent", "late", "later", "under-way"]);
  }
});

test("tiles stay where they are, whatever happens to their machines", () => {
  const rows = [
    item("a", { name: "Press 10" }),
    item("b", { name: "Press 2" }),
    item("c", { name: "Oven", lineId: "Line 2" }),
    item("d", { name: "Loose", lineId: null }),
  ];
  const places = (/** @type {any} */ items) =>
    linesOf(items).map((line) => [line.lineId, line.items.map((one) => one.name)]);

  const expected = [["Line 1", ["Press 2", "Press 10"]], ["Line 2", ["Oven"]], [null, ["Loose"]]];
  for (const order of inEveryOrder(rows)) assert.deepEqual(places(order), expected);
  assert.deepEqual(places(rows.map((row) => ({ ...row, state: "ERROR" }))), expected);
});

test("counts add up", () => {
  const rows = [item("a"), item("b", { state: "ERROR" }), item("c", { silentSince: "x" }), item("d", { state: null })];

  assert.deepEqual(countsOf([...rows, item("e", { overdue }), item("f", { underWay })]), {
    ...{ error: 1, warning: 0, silent: 1, overdue: 1, unknown: 1, maintenance: 1, running: 1 },
  });
});

test("a state began between the newest report of another one and the oldest known one of its own", () => {
  const row = item("a", { stateSince: "2026-11-21T11:02:00.000Z", stateTimestamp: "2026-11-21T16:43:00.000Z" });
  const nowMs = Date.parse("2026-11-21T16:45:00.000Z");

  const since = sinceOf(row);
  assert.ok(since);
  assert.equal(isExact(since, nowMs), false);
  const better = sinceOf(row, Date.parse("2026-11-21T11:05:00.000Z"));
  assert.ok(better);
  assert.equal(isExact(better, nowMs), true);
  assert.equal(sinceOf(item("a", { stateTimestamp: null })), null);
});

test("a state that was never another one has no beginning", () => {
  const since = sinceOf(item("a", { stateSince: null }));

  assert.equal(since?.fromMs, null);
  assert.equal(since && isExact(since, since.toMs), false);
});

test("ages have two units, ages of what is over have one", () => {
  const ages = [59_999, 35 * MINUTE, 7 * 60 * MINUTE + 4 * MINUTE, 76 * 60 * MINUTE];

  assert.deepEqual(ages.map((ms) => ageOf(ms, UNITS)), ["now", "35 min", "7 h 04", "3 d 4 h"]);
  assert.deepEqual(ages.map((ms) => roughAgeOf(ms, UNITS)), ["1 min", "35 min", "7 h", "3 d"]);
});

test("every place survives the address", () => {
  /** @type {import("../../../functions/pages/board/page/places.js").Place[]} */
  const places = [
    { view: "choose" },
    { view: "board", company: "Ac/me & Söhne" },
    { view: "board", company: "Acme", factoryId: "G#1" },
    { view: "board", company: "Acme", factoryId: "G", lineId: "Line 1 · Pressing" },
    { view: "machine", equipmentId: "d#12345%" },
    { view: "agenda", company: "Acme", factoryId: "G#1" },
    { view: "agenda", company: "Acme", factoryId: "G", day: "2028-02-29" },
    { view: "faults" },
  ];

  for (const place of places) assert.deepEqual(placeOf(fragmentOf(place)), place);
  for (const fragment of ["", "#", "#/nowhere", "#/board", "#/board/", "#/board/%", "#/equipment/a/b", "#/faults/1", "#/agenda/a", "#/agenda/a/b/2026-02-29"]) {
    assert.deepEqual(placeOf(fragment), { view: "choose" });
  }
});

test("a board shows its factory, or its line of it", () => {
  const row = item("a", { factoryId: "G", lineId: "1" });

  assert.equal(isAt({ view: "board", company: "A" }, row), true);
  assert.equal(isAt({ view: "board", company: "A", factoryId: "G", lineId: "1" }, row), true);
  assert.equal(isAt({ view: "board", company: "A", factoryId: "G", lineId: "2" }, row), false);
  assert.equal(isAt({ view: "board", company: "A", factoryId: "H" }, row), false);
  assert.equal(isAt({ view: "board", company: "A", factoryId: "H" }, { factoryId: null, lineId: null }), true);
});

test("roles may do what the API lets them, and a wall nothing", () => {
  const who = (/** @type {string} */ group) => ({ subject: "s", name: "n", groups: [group] });

  assert.equal(may(who("operator"), "assign"), true);
  assert.equal(may(who("auditor"), "assign"), false);
  assert.equal(may(who("operator"), "maintain"), true);
  assert.equal(may(who("auditor"), "maintain"), false);
  assert.equal(may(who("operator"), "plan"), false);
  assert.equal(may(who("supervisor"), "plan"), true);
  assert.equal(may(who("operator"), "faults"), false);
  assert.equal(may(who("admin"), "faults"), true);
  assert.equal(may({ ...who("admin"), readsOnly: true }, "assign"), false);
  assert.equal(may(null, "assign"), false);

  const limited = { ...who("admin"), groups: ["admin", "at:gdl-1"] };
  assert.equal(may(limited, "assign"), true);
  assert.equal(may(limited, "faults"), false);
  assert.equal(may({ ...limited, groups: [...limited.groups, "at:*"] }, "faults"), true);
});

test("the page calls itself live only while it is subscribed, hears messages, and its last read went well", () => {
  const good = { isSubscribed: true, isHeard: true, isReadable: true, readAtMs: 0, isRefused: false };
  const now = { nowMs: 1000, startedMs: 0 };
  const late = { nowMs: LOST_AFTER_MS + 1, startedMs: 0 };

  assert.equal(connectionOf(good, late), "live");
  assert.equal(connectionOf({ ...good, isHeard: false }, now), "polling");
  assert.equal(connectionOf({ ...good, isSubscribed: false }, now), "reconnecting");
  assert.equal(connectionOf({ ...good, isReadable: false }, now), "reconnecting");
  assert.equal(connectionOf({ ...good, isSubscribed: false }, late), "lost");
  assert.equal(connectionOf({ ...good, isReadable: false }, late), "lost");
  assert.equal(connectionOf({ ...good, readAtMs: null }, now), "starting");
  assert.equal(connectionOf({ ...good, readAtMs: null }, late), "lost");

  const alone = { ...good, isSubscribed: false, isRefused: true };
  assert.equal(connectionOf(alone, now), "polling");
  assert.equal(connectionOf({ ...alone, isReadable: false }, now), "reconnecting");
  assert.equal(connectionOf({ ...alone, readAtMs: null }, now), "starting");
  assert.equal(connectionOf(alone, late), "lost");
});

test("retries come less and less often, never all at once, and never more than half a minute apart", () => {
  const waits = [0, 1, 2, 5, 50].map((failures) => beforeRetryMs(failures, 0.999));

  assert.deepEqual(waits, waits.toSorted((one, other) => one - other));
  assert.ok(beforeRetryMs(0, 0) >= 250 && (waits.at(-1) ?? 0) <= 30_000);
  assert.notEqual(beforeRetryMs(3, 0.1), beforeRetryMs(3, 0.9));
  assert.ok(jittered(100, 0) >= 80 && jittered(100, 0.999) <= 120);
});


test("a week begins on a Monday, and its days follow each other, through a year and a leap day", () => {
  for (let day = "2027-12-20"; day < "2029-01-10"; day = daysAfter(day, 1)) {
    const week = weekOf(day);

    assert.ok(week.includes(day) && week.every(isDay));
    assert.deepEqual(week.map((one) => new Date(one).getUTCDay()), [1, 2, 3, 4, 5, 6, 0]);
    assert.deepEqual(week.slice(1), week.slice(0, -1).map((one) => daysAfter(one, 1)));
    assert.deepEqual(week.map((one) => weekOf(one)[0]), week.map(() => week[0]));
  }
});

test("an order is in its day's column, and stands as it is on the day that one looks", () => {
  const order = { equipmentId: "a", date: "2026-11-16", kind: "lubrication", plannedFor: "2026-11-20" };
  const planned = /** @type {const} */ ({ ...order, status: "planned" });

  assert.deepEqual(daysOf("2026-11-22", [planned]).filter((day) => day.orders.length), [{ day: "2026-11-20", orders: [planned] }]);
  assert.equal(daysOf("2026-11-23", [planned]).flatMap((day) => day.orders).length, 0);
  assert.deepEqual(["2026-11-20", "2026-11-21"].map((today) => kindOfOrder(planned, today)), ["planned", "overdue"]);
  assert.equal(kindOfOrder({ ...planned, status: "started" }, "2026-12-01"), "maintenance");
  assert.equal(kindOfOrder({ ...planned, status: "finished", result: "partly" }, "2026-12-01"), "partly");
});

test("a machine's page has each order once, and what the API answered before the board knows it", () => {
  const row = item("a", { underWay, overdue, nextOrder: overdue });
  const answer = /** @type {const} */ ({ ...overdue, equipmentId: "a", status: "started", startedAt: "2026-11-21T18:00:00.000Z" });
  const states = (/** @type {any} */ ...answers) =>
    ordersOf(row, new Map(answers.map((/** @type {any} */ one) => [keyOf(one), one]))).map(({ kind, startedAt }) => [kind, startedAt]);

  const inspection = ["inspection", "2026-11-21T17:00:00.000Z"];
  assert.deepEqual(states(), [inspection, ["lubrication", undefined]]);
  assert.deepEqual(states(answer), [inspection, ["lubrication", "2026-11-21T18:00:00.000Z"]]);
  assert.deepEqual(states({ ...answer, status: "finished" }), [inspection]);
  const later = { ...answer, status: "planned", startedAt: undefined, plannedFor: "2026-11-20" };
  const others = [{ ...later, kind: "oil", plannedFor: "2026-12-01" }, { ...later, kind: "belt" }, { ...later, kind: "air" }];
  assert.deepEqual(states(...others), [inspection, ["lubrication", undefined], ["air", undefined], ["belt", undefined], ["oil", undefined]]);
  assert.deepEqual(states({ ...later, kind: "oil", status: "finished" }), [inspection, ["lubrication", undefined]]);
});

test("the newest version of an order counts, whatever came last", () => {
  const order = (/** @type {object} */ said) => /** @type {any} */ ({ ...overdue, equipmentId: "a", status: "planned", ...said });
  const one = order({ version: 1 });
  const two = order({ version: 2, status: "started" });
  for (const orders of [[one, two], [two, one]]) {
    assert.deepEqual([...newestOf(newestOf(new Map(), orders.slice(0, 1)), orders.slice(1)).values()], [two]);
  }
  assert.deepEqual([...newestOf(new Map([[keyOf(one), one]]), []).values()], [one]);
});

test("a kind is taken as the API takes it", () => {
  assert.deepEqual(["Oil change ", "a", "7", "", "öl", "x".repeat(33)].map(kindIn), ["oil-change", "a", null, null, null, null]);
});
