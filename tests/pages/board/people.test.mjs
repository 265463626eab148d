import assert from "node:assert/strict";
import test from "node:test";

import { choicesOf, matching, meant } from "../../../functions/pages/board/page/choices.js";
import { isPersonId, People, shortOf } from "../../../functions/pages/board/page/people.js";

const SUBJECT = "7f3c2b1a-0000-4000-8000-0123456789ab";
const MINUTE = 60_000;

/** A directory whose clock the test turns. */
class Directory {
  nowMs = 0;
  isDown = false;
  /** @type {Record<string, import("../../../functions/pages/board/page/people.js").Person>} */
  rows = { "op-17": { id: "op-17", name: "Liz" }, "op-18": { id: "op-18", name: "Sue" } };
  /** @type {(readonly string[])[]} */
  asked = [];
  people = new People({ read: (ids) => this.#read(ids), nowMs: () => this.nowMs, chance: () => 0 });

  /** @param {readonly string[]} ids */
  async #read(ids) {
    this.asked.push(ids);
    if (this.isDown) throw new Error("down");
    return ids.flatMap((id) => this.rows[id] ?? []);
  }

  /**
   * Draw these people, and ask.
   *
   * @param {...string} ids
   */
  async draw(...ids) {
    const names = ids.map((id) => this.people.find(id)?.name);
    await this.people.ask();
    return names;
  }
}

test("what a drawing needs is one request, what is known none, and what is new only that", async () => {
  const directory = new Directory();

  assert.deepEqual(await directory.draw("op-17", "op-18", "op-17"), [undefined, undefined, undefined]);
  assert.deepEqual(await directory.draw("op-17", "op-18"), ["Liz", "Sue"]);
  await directory.draw("op-17", "op-99");

  assert.deepEqual(directory.asked, [["op-17", "op-18"], ["op-99"]]);
});

test("names are asked for again after five minutes, those alone that are shown, and the others are forgotten", async () => {
  const directory = new Directory();
  await directory.draw("op-17", "op-18");
  directory.rows["op-17"] = { id: "op-17", erased: true };
  directory.nowMs = 5 * MINUTE - 1;
  await directory.draw("op-17");
  assert.equal(directory.asked.length, 1);

  directory.nowMs = 5 * MINUTE;
  await directory.draw("op-17");

  assert.deepEqual(directory.asked[1], ["op-17"]);
  assert.deepEqual(directory.people.find("op-17"), { name: null, isErased: true, atMs: 5 * MINUTE });
  assert.equal(directory.people.find("op-18"), undefined);
});

test("without the directory a name is shown for ten minutes and no longer, and it is asked less and less often", async () => {
  const directory = new Directory();
  await directory.draw("op-17");
  directory.isDown = true;
  for (directory.nowMs = 5 * MINUTE; directory.nowMs < 10 * MINUTE; directory.nowMs += 1000) {
    assert.deepEqual(await directory.draw("op-17"), ["Liz"]);
  }

  assert.deepEqual(await directory.draw("op-17"), [undefined]);
  assert.ok(directory.asked.length < 30, String(directory.asked.length));
  directory.isDown = false;
  directory.nowMs += MINUTE;
  await directory.draw("op-17");
  assert.deepEqual(await directory.draw("op-17"), ["Liz"]);
});

test("a hundred are asked about at once, and nothing that is no id", async () => {
  const directory = new Directory();
  const badges = Array.from({ length: 250 }, (_, number) => `op-${1000 + number}`);

  await directory.draw(...badges, "Liz", "op-1", "<b>", "OP-17", SUBJECT);

  assert.deepEqual(directory.asked.map((ids) => ids.length), [100, 100, 51]);
  assert.ok(isPersonId(SUBJECT) && isPersonId("1047") && !isPersonId("Liz"));
  assert.deepEqual([shortOf(SUBJECT), shortOf("op-17")], ["7f3c", "op-17"]);
});

test("whoever can be chosen has a label of their own", () => {
  const people = [
    { id: "op-17", name: "Liz" },
    { id: "op-18", name: "liz " },
    { id: "op-19", name: "op-17" },
    { id: "op-20", name: "Zoë" },
    { id: "op-21", name: null },
  ];
  const choices = choicesOf(people, []);

  assert.deepEqual(choices.map(({ label }) => label), ["Liz (op-17)", "liz  (op-18)", "op-17 (op-19)", "Zoë", "op-21"]);
  for (const { id, label } of choices) assert.deepEqual(meant(choices, label), [id]);
  assert.deepEqual(meant(choices, "LIZ"), ["op-17", "op-18"]);
  assert.deepEqual(choicesOf(people, ["op-18"]).slice(0, 2).map(({ label }) => label), ["Liz (op-17)", "liz "]);
  assert.deepEqual(meant(choices, "zoe\u0308"), ["op-20"]);
  assert.deepEqual(meant(choices, "op-17"), ["op-17"], "an id is an id, whoever is called so");
  assert.deepEqual(meant(choices, "Ana"), []);
  assert.deepEqual(matching(choices, "zo").map(({ id }) => id), ["op-20"]);
});
