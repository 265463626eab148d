/** The page of a station: how its machine stands, what is called for there, and the button that calls. Nobody else's machine. */
import { ask, pathOf, Refused, serverNowMs } from "./api.js";
import { jittered } from "./backoff.js";
import { callButton } from "./call-raise.js";
import { categoryName, categoryOf } from "./catalogs.js";
import { drawByKey, element, fill, isNew } from "./dom.js";
import { setTitle } from "./header.js";
import { icon, iconNamed } from "./icons.js";
import { itemOf, nameOf } from "./items.js";
import { drawStanding } from "./machine.js";
import { age, clockWithSeconds, problemText, speakerOf, text } from "./speech.js";

/**
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./items.js").OpenCall} OpenCall
 */

/** Messages are for who is at the company: a station reads, and soon again after a call. */
const READ_MS = 5000;

/** The board may know so much later of a call that was raised here. */
const KNOWN_MS = 20_000;
const NOT_FOUND = 404;

const say = speakerOf("station");

/**
 * @param {import("./app.js").Context} context
 * @returns {import("./app.js").View}
 */
export function openStation(context) {
  const equipmentId = context.who?.name ?? "";
  const state = element("p", { class: "empty", role: "status" }, say("loading"));
  const behind = element("p", { class: "problem", role: "alert", hidden: true });
  const standing = element("section", { class: "standing", "aria-live": "polite", hidden: true });
  const list = element("ul", { class: "rows" });
  const none = element("p", { class: "empty" }, say("calls.none"));
  const calls = element("section", { "aria-labelledby": "station-calls", hidden: true }, element("h2", { id: "station-calls" }, say("calls")), none, list);
  const button = callButton(context, () => (item === null ? [] : [withRaised(item)]), raised);
  const bar = element("div", { class: "deed-bar", hidden: true }, button);
  /** @type {Item | null} */
  let item = null;
  /** What was raised here, until the board knows it. @type {Map<string, {call: OpenCall, untilMs: number}>} */
  const fresh = new Map();
  let [readAtMs, timer, isOver] = [0, 0, false];
  setTitle(equipmentId);

  /** @param {OpenCall} call */
  function raised(call) {
    fresh.set(call.id, { call, untilMs: performance.now() + KNOWN_MS });
    draw();
  }

  /**
   * The machine with the calls of here that the board has not heard of yet.
   *
   * @param {Item} known
   * @returns {Item}
   */
  function withRaised(known) {
    const { calls: open = [] } = known;
    for (const [id, { untilMs }] of fresh) if (performance.now() > untilMs || open.some((call) => call.id === id)) fresh.delete(id);
    return { ...known, calls: [...open, ...[...fresh.values()].map(({ call }) => call)] };
  }

  async function read() {
    clearTimeout(timer);
    try {
      const found = itemOf((await ask(pathOf`/equipment/${equipmentId}/board`)).body);
      if (isOver) return;
      [item, readAtMs, behind.hidden] = [found, serverNowMs(), true];
      fill(state, found === null && text("problem.unreadable"));
    } catch (error) {
      if (isOver) return;
      if (error instanceof Refused && error.status === NOT_FOUND) {
        item = null;
        fill(state, say("unknown", { id: equipmentId }));
      } else if (item === null) fill(state, problemText(error));
      else {
        behind.hidden = false;
        fill(behind, say("behind", { time: clockWithSeconds(readAtMs), problem: problemText(error) }));
      }
    }
    clearTimeout(timer); // another one may have begun meanwhile
    timer = setTimeout(read, jittered(READ_MS, Math.random()));
    draw();
  }

  function draw() {
    standing.hidden = calls.hidden = bar.hidden = item === null;
    if (item === null) return;
    const shown = withRaised(item);
    setTitle(nameOf(shown));
    drawStanding(standing, shown);
    none.hidden = shown.calls?.length !== 0;
    drawByKey(list, shown.calls ?? [], { keyOf: ({ id }) => id, make: () => element("li", {}), update: (row, call) => drawCall(row, shown, call) });
  }

  void read();
  addEventListener("online", read);
  const close = () => {
    isOver = true;
    clearTimeout(timer);
    removeEventListener("online", read);
  };
  return { elements: [element("div", { class: "machine-top" }, state, behind, standing, calls, bar)], className: "", draw, close };
}

/**
 * @param {HTMLElement} row
 * @param {Item} item
 * @param {OpenCall} call
 */
function drawCall(row, { factoryId }, { category, raisedAt, taker }) {
  const tile = categoryOf(factoryId, category);
  const [name, since] = [categoryName(tile), age(serverNowMs() - Date.parse(raisedAt))];
  const who = taker === undefined ? text("call.nobody") : say("taken");
  if (!isNew(row, name, since, who, tile.icon)) return;
  fill(row, icon(iconNamed(tile.icon)), element("strong", {}, name), element("span", { class: "taken-by" }, who), element("span", { class: "age" }, since));
}
