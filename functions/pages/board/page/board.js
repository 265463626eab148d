/** The board: every machine in its place, and who needs help. */
import { drawCalls } from "./call-cards.js";
import { callButton } from "./call-raise.js";
import { callsIn } from "./calls.js";
import { categoryText } from "./catalogs.js";
import { drawByKey, element, fill } from "./dom.js";
import { explainSection } from "./explain.js";
import { setCounts, setTitle } from "./header.js";
import { LOG_DEEDS, makeCard, updateCard } from "./help.js";
import { nameOf } from "./items.js";
import { fragmentOf, isAt } from "./places.js";
import { may } from "./roles.js";
import { problemText, text } from "./speech.js";
import { countsOf, helpNeeded, kindOf, linesOf } from "./standing.js";
import { makeTile, updateTile } from "./tile.js";
import { isVague, stateWord } from "./words.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./places.js").BoardPlace} BoardPlace
 * @typedef {import("./pending.js").ShownItem} ShownItem
 */

/** So many large cards fit on a wall, with and without buttons; more are smaller. */
const ROOMY_WITH_DEEDS = 4;
const ROOMY = 5;

/**
 * @param {BoardPlace} place
 * @param {Context} context
 * @returns {import("./app.js").View}
 */
export function openBoard(place, context) {
  const lines = element("div", { class: "lines" });
  const parts = element("nav", { class: "parts", "aria-label": text("board.parts") });
  const state = element("p", { class: "empty" });
  const list = element("ul", { class: "cards" });
  const calls = element("ul", { class: "cards calls" });
  const count = element("span", { class: "help-count" });
  const nobody = element("p", { class: "empty" }, text("board.help.none"));
  const heard = element("p", { class: "hidden", "aria-live": "polite" });
  const help = element(
    "section",
    { class: "help", "aria-labelledby": "help" },
    element("h2", { id: "help" }, text("board.help"), " ", count),
    calls,
    list,
    nobody,
  );
  const explain = explainSection(context);
  const itemsHere = () => context.follow(place.company).items.filter((item) => isAt(place, item));
  const call = callButton(context, itemsHere);
  const bar = element("div", { class: "deed-bar", hidden: call.hidden }, call);
  const beside = element("div", { class: "beside" }, help, explain.section, bar, parts);
  const machines = element("section", { class: "machines", "aria-label": text("board.lines") }, state, lines);
  const deeds = { mayDo: LOG_DEEDS.some((deed) => may(context.who, deed)), onDeed };
  /** @type {Map<string, string> | null} */
  let before = null;
  setTitle([place.company, place.factoryId, place.lineId].filter((part) => part !== undefined).join(" · "));

  /**
   * @param {import("./help.js").LogDeed} deed
   * @param {string} equipmentId
   */
  function onDeed(deed, equipmentId) {
    const item = context.follow(place.company).items.find((one) => one.equipmentId === equipmentId);
    if (item) context.act(deed, item);
  }

  function draw() {
    const following = context.follow(place.company);
    const all = following.items;
    const items = all.filter((item) => isAt(place, item)).map((item) => context.pending.shown(item));
    const needed = helpNeeded(items);
    const called = drawCalls(calls, items, context);
    explain.draw(items);
    const isWide = new Set(items.map((item) => item.factoryId)).size > 1;
    context.starts.note(items);
    void context.starts.ask(needed.filter((item) => isVague(item, context.starts.of(item))));
    setCounts(following.isLoaded ? countsOf(items) : null);
    drawParts(parts, place, all);
    drawByKey(lines, linesOf(items), {
      keyOf: (line) => line.key,
      make: makeLine,
      update: (section, line) => {
        const names = isWide || line.lineId === null ? [line.factoryId, line.lineId ?? text("board.noLine")] : [line.lineId];
        fill(/** @type {Element} */ (section.firstElementChild), names.filter((name) => name !== null).join(" · "));
        drawByKey(/** @type {Element} */ (section.lastElementChild), line.items, {
          keyOf: (item) => item.equipmentId,
          make: makeTile,
          update: (tile, item) => updateTile(tile, item, context.starts.of(item)),
        });
      },
    });
    drawByKey(list, needed, {
      keyOf: (item) => item.equipmentId,
      make: (item) => makeCard(item, deeds),
      update: (card, item) => updateCard(card, item, context.starts.of(item)),
    });
    list.dataset["size"] = needed.length + called <= (deeds.mayDo ? ROOMY_WITH_DEEDS : ROOMY) ? "roomy" : "dense";
    lines.dataset["size"] = items.length <= 24 ? "roomy" : "dense";
    calls.dataset["size"] = list.dataset["size"];
    fill(count, needed.length + called ? String(needed.length + called) : "");
    nobody.hidden = needed.length + called > 0 || !following.isLoaded;
    drawState(state, following, items.length);
    if (following.isLoaded) before = announce(heard, before, newsOf(needed, items));
  }

  return { elements: [beside, machines, heard], className: "view-board", draw, close: () => setCounts(null) };
}

/** @returns {HTMLElement} */
const makeLine = () => element("section", { class: "line" }, element("h2", {}), element("ul", { class: "tiles" }));

/**
 * @param {HTMLElement} state
 * @param {import("./following.js").Following} following
 * @param {number} shown
 */
function drawState(state, following, shown) {
  state.hidden = shown > 0;
  if (following.isLoaded) fill(state, text("board.empty"));
  else fill(state, following.problem === null ? text("board.loading") : problemText(following.problem));
}

/**
 * Ways to less and to more: all, the factories, the lines of the one that is shown.
 *
 * @param {HTMLElement} parts
 * @param {BoardPlace} place
 * @param {readonly import("./items.js").Item[]} items
 */
function drawParts(parts, place, items) {
  const { company, factoryId } = place;
  /** @type {BoardPlace[]} */
  const places = [{ view: "board", company }];
  for (const line of linesOf(items)) {
    if (line.factoryId === null) continue;
    places.push({ view: "board", company, factoryId: line.factoryId });
    if (line.factoryId === factoryId && line.lineId !== null) {
      places.push({ view: "board", company, factoryId, lineId: line.lineId });
    }
  }
  const links = new Map(places.map((one) => [fragmentOf(one), one]));
  parts.hidden = links.size <= 2 && factoryId === undefined;
  drawByKey(parts, [...links], {
    keyOf: ([fragment]) => fragment,
    make: ([fragment, one]) =>
      element("a", { href: fragment }, one.lineId ?? one.factoryId ?? text("board.all", { company })),
    update: (link, [fragment]) => {
      if (fragment === fragmentOf(place)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    },
  });
}

/**
 * What to say of whom, each by its key and what it is: of trouble, and of calls.
 *
 * @param {readonly ShownItem[]} needed
 * @param {readonly ShownItem[]} items
 * @returns {[key: string, what: string, words: string][]}
 */
const newsOf = (needed, items) => [
  ...callsIn(items).map(({ item, call }) => /** @type {[string, string, string]} */ ([
    call.id,
    "call",
    text("call.announce", { name: nameOf(item), category: categoryText(item.factoryId, call.category) }),
  ])),
  ...needed.map((item) => /** @type {[string, string, string]} */ ([
    item.equipmentId,
    kindOf(item),
    text("board.announce", { name: nameOf(item), state: stateWord(item) }),
  ])),
];

/**
 * Say what is new to who listens to the page; not at the first sight.
 *
 * @param {HTMLElement} heard
 * @param {Map<string, string> | null} before
 * @param {readonly [key: string, what: string, words: string][]} news
 */
function announce(heard, before, news) {
  const fresh = news.filter(([key, what]) => before !== null && before.get(key) !== what);
  if (fresh.length) fill(heard, fresh.map(([, , words]) => words).join(". "));
  return new Map(news.map(([key, what]) => [key, what]));
}
