/** A machine's page: how it stands, what one can do, what happened, its last audits and its versions. */
import { find, get, pathOf, withCursor } from "./api.js";
import { drawCalls } from "./call-cards.js";
import { callButton, rememberAt } from "./call-raise.js";
import { causeText } from "./catalogs.js";
import { personText } from "./directory.js";
import { drawByKey, element, fill, setAttribute } from "./dom.js";
import { explainSection } from "./explain.js";
import { setTitle } from "./header.js";
import { deedButtons, LOG_DEEDS, updateDeeds } from "./help.js";
import { icon } from "./icons.js";
import { itemOf, nameOf } from "./items.js";
import { OrdersSection } from "./maintenance.js";
import { may } from "./roles.js";
import { isText, problemText, text, timeOf } from "./speech.js";
import { isAbnormal, kindOf } from "./standing.js";
import { drawEntries, makeEpisode, strip, updateEpisode } from "./story.js";
import { linesIn } from "./story-lines.js";
import { duration, isVague, riskText, sinceSentence, stateWord } from "./words.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./pending.js").ShownItem} ShownItem
 * @typedef {import("./story-lines.js").Episode} Episode
 * @typedef {import("./story-lines.js").Entry} Entry
 * @typedef {{part: string, result: string, auditor: string, revision: number, changedAt: string, notes?: string}} Audit
 * @typedef {{version: number, name: string, factoryId: string, lineId: string, changedAt: string, deleted?: boolean}} Version
 */

const EPISODES = 10;
const AUDITS = 20;
const VERSIONS = 10;
const LOG_DAYS = 33; // contract.logs.TTL_DAYS
const WHOLE = "_";

/** The story is another service's: it may know a little later what the board knows. */
const STORY_LATER_MS = 1500;
const UNPLACED_MS = 10_000;

/**
 * @param {import("./places.js").MachinePlace} place
 * @param {Context} context
 * @returns {import("./app.js").View}
 */
export function openMachine({ equipmentId }, context) {
  /** @type {Item | null} */
  let item = null;
  let storyVersion = -1;
  let timer = 0;
  const standing = element("section", { class: "standing", "aria-live": "polite" });
  const facts = element("dl", { class: "facts" });
  const mayDo = LOG_DEEDS.some((deed) => may(context.who, deed));
  const deeds = deedButtons(equipmentId, { mayDo, onDeed: (deed) => item && context.act(deed, item) });
  const call = callButton(context, () => (item === null ? [] : [item]));
  const bar = element("div", { class: "deed-bar", hidden: !mayDo && call.hidden }, deeds, call);
  const calls = element("ul", { class: "cards calls", hidden: true });
  const explain = explainSection(context);
  const orders = new OrdersSection(context);
  const top = element("div", { class: "machine-top" }, standing, bar, calls, explain.section, facts, orders.section);
  const story = new StorySection(equipmentId);
  const audits = new ListSection(text("machine.audits"), text("machine.audits.none"), auditRow);
  const versions = new ListSection(text("machine.versions"), text("machine.versions.none"), versionRow);
  setTitle(equipmentId);
  rememberAt(equipmentId);

  async function load() {
    const answer = await find(pathOf`/equipment/${equipmentId}/board`).catch((error) => {
      fill(standing, element("p", { class: "empty" }, problemText(error)));
    });
    if (answer === null) fill(standing, element("p", { class: "empty" }, text("machine.notFound", { id: equipmentId })));
    if (!answer) return;
    item = itemOf(answer.body);
    if (item === null) return fill(standing, element("p", { class: "empty" }, text("problem.unreadable")));
    if (item.location !== null) context.follow(item.location.company).learn(item);
    draw();
    if (item.location === null) timer = setTimeout(load, UNPLACED_MS); // no board has it, so that no message comes
  }

  function draw() {
    const company = item?.location?.company;
    const following = company === undefined ? context.followed() : context.follow(company);
    const live = following?.items.find((one) => one.equipmentId === equipmentId);
    if (live !== undefined) item = live;
    if (item === null) return;
    const shown = context.pending.shown(item);
    context.starts.note([shown]);
    const firstMs = context.starts.of(shown);
    if (isVague(shown, firstMs)) void context.starts.ask([shown]);
    setTitle(nameOf(shown));
    drawStanding(standing, shown, firstMs);
    drawFacts(facts, shown);
    updateDeeds(bar, shown);
    drawCalls(calls, [shown], context);
    explain.draw([shown]);
    orders.draw(shown);
    if (storyVersion !== shown.version) {
      setTimeout(() => story.load(), storyVersion < 0 ? 0 : STORY_LATER_MS);
      storyVersion = shown.version;
    }
    story.draw();
    audits.draw();
  }

  void load();
  void audits.load(`${pathOf`/equipment/${equipmentId}/audits`}?limit=${AUDITS}`);
  void versions.load(`${pathOf`/equipment/${equipmentId}/versions`}?limit=${VERSIONS}`);
  const beside = element("div", { class: "machine-beside" }, audits.section, versions.section);
  return { elements: [top, story.section, beside], className: "view-machine", draw, close: () => clearTimeout(timer) };
}

/**
 * @param {HTMLElement} place
 * @param {ShownItem} item
 * @param {number} [firstMs]
 */
export function drawStanding(place, item, firstMs) {
  setAttribute(place, "data-kind", kindOf(item));
  setAttribute(place, "data-pending", item.isPending ?? false);
  fill(
    place,
    icon(kindOf(item)),
    element("p", { class: "state" }, stateWord(item)),
    element("p", { class: "age" }, duration(item, firstMs)),
    element("p", { class: "since" }, sinceSentence(item, firstMs)),
  );
}

/**
 * @param {HTMLElement} place
 * @param {ShownItem} item
 */
function drawFacts(place, item) {
  const { lastAnomaly, lastCause, atRisk } = item;
  const cause = lastCause && { cause: causeText(item.factoryId, lastCause.cause), time: timeOf(lastCause.startedAt) };
  const { acknowledgedBy, operator, escalatedTo } = item;
  const seen = acknowledgedBy ? text("machine.seen.by", { name: personText(acknowledgedBy) }) : text("machine.seen.nobody");
  const facts = /** @type {[string, string | null | undefined][]} */ ([
    [text("machine.seen"), isAbnormal(item) ? seen : null],
    [text("machine.operator"), operator && personText(operator)],
    [text("machine.escalated"), escalatedTo && personText(escalatedTo)],
    [text("machine.risk"), atRisk && text("machine.risk.since", { reason: riskText(atRisk.reason), time: timeOf(atRisk.since) })],
    [text("machine.silent"), item.silentSince && text("since.silent", { time: timeOf(item.silentSince) })],
    [text("machine.disconnected"), item.disconnectedSince && text("since.disconnected", { time: timeOf(item.disconnectedSince) })],
    [text("machine.lastReport"), item.stateTimestamp && timeOf(item.stateTimestamp)],
    [text("machine.cause"), cause && text("machine.cause.of", cause)],
    [text("machine.anomaly"), lastAnomaly && anomalyText(lastAnomaly)],
    [text("machine.place"), placeText(item)],
    [text("machine.id"), item.equipmentId],
  ]).filter(([, value]) => value);
  fill(place, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

/** @param {NonNullable<Item["lastAnomaly"]>} anomaly */
function anomalyText({ kind, timestamp, seen, unit, expected, state }) {
  const { typical, atMost } = expected;
  const [kindKey, unitKey] = [`anomaly.kind.${kind}`, `anomaly.unit.${kind}`];
  const said = { kind: isText(kindKey) ? text(kindKey) : kind, unit: isText(unitKey) ? text(unitKey) : unit };
  return text("machine.anomaly.text", { ...said, time: timeOf(timestamp), seen, typical, atMost, state });
}

/** @param {Item} item */
function placeText({ location, factoryId, lineId }) {
  if (location === null) return text("machine.noName");
  const { company, city, neighborhood } = location;
  return [company, factoryId, lineId, `${city}, ${neighborhood}`].filter((part) => part !== null).join(" · ");
}

/**
 * @param {Audit} audit
 */
function auditRow({ part, result, auditor, revision, changedAt, notes }) {
  const said = text("machine.audit.by", { auditor: personText(auditor), time: timeOf(changedAt), revision });
  return element(
    "li",
    {},
    element("strong", {}, part === WHOLE ? text("machine.audit.whole") : part),
    element("span", { class: "result" }, result),
    element("span", { class: "detail" }, said),
    notes ? element("span", { class: "detail" }, notes) : null,
  );
}

/**
 * @param {Version} version
 */
function versionRow({ version, name, factoryId, lineId, changedAt, deleted }) {
  return element(
    "li",
    {},
    element("strong", {}, text("machine.version", { version })),
    deleted ? element("span", { class: "result" }, text("machine.version.deleted")) : null,
    element("span", { class: "detail" }, text("machine.version.text", { name, factory: factoryId, line: lineId })),
    element("time", { class: "detail", datetime: changedAt }, text("machine.version.when", { time: timeOf(changedAt) })),
  );
}

/** A heading, and the first page of a list below it. */
class ListSection {
  #list = element("ul", { class: "rows" });
  #state = element("p", { class: "empty" }, "…");
  /** @type {any[]} */
  #rows = [];

  /**
   * @param {string} title
   * @param {string} none
   * @param {(row: any) => HTMLElement} rowOf
   */
  constructor(title, none, rowOf) {
    this.none = none;
    this.rowOf = rowOf;
    this.section = element("section", {}, element("h2", {}, title), this.#state, this.#list);
  }

  /** @param {string} path */
  async load(path) {
    try {
      this.#rows = (await find(path))?.body.items ?? [];
      this.draw();
      this.#state.hidden = this.#rows.length > 0;
      fill(this.#state, this.none);
    } catch (error) {
      fill(this.#state, problemText(error));
    }
  }

  draw() {
    fill(this.#list, ...this.#rows.map(this.rowOf));
  }
}

/** The story, newest trouble first. Newer pages are read again when the machine's row changes; older ones on demand. */
class StorySection {
  #episodes = element("ol", { class: "episodes" });
  #others = element("ol", { class: "entries" });
  #othersTitle = element("h3", { hidden: true }, text("machine.others"));
  #strip = element("div");
  #state = element("p", { class: "empty" }, "…");
  #older = element("button", { type: "button", hidden: true, onclick: () => void this.#more() }, text("machine.older"));
  /** @type {{episodes: Episode[], others: Entry[], cursor: string}[]} */
  #pages = [];
  #isLoaded = false;

  /** @param {string} equipmentId */
  constructor(equipmentId) {
    this.path = `${pathOf`/equipment/${equipmentId}/episodes`}?limit=${EPISODES}`;
    this.section = element(
      "section",
      { class: "story" },
      element("h2", {}, text("machine.story")),
      this.#strip,
      this.#state,
      this.#episodes,
      this.#othersTitle,
      this.#others,
      this.#older,
    );
  }

  async load() {
    await this.#read("", (page) => (this.#pages = [page]));
  }

  async #more() {
    await this.#read(this.#pages.at(-1)?.cursor ?? "", (page) => this.#pages.push(page));
  }

  /**
   * @param {string} cursor
   * @param {(page: {episodes: Episode[], others: Entry[], cursor: string}) => void} keep
   */
  async #read(cursor, keep) {
    try {
      const { body } = await get(withCursor(this.path, cursor));
      keep({ episodes: body.items, others: body.others ?? [], cursor: body.cursor ?? "" });
      this.#isLoaded = true;
      this.draw();
    } catch (error) {
      this.#state.hidden = false;
      fill(this.#state, problemText(error));
    }
  }

  draw() {
    if (!this.#isLoaded) return;
    const episodes = this.#pages.flatMap((page) => page.episodes);
    const others = this.#pages.flatMap((page) => page.others);
    this.#state.hidden = episodes.length > 0;
    fill(this.#state, text("machine.story.none", { count: LOG_DAYS }));
    fill(this.#strip, strip(episodes));
    drawByKey(this.#episodes, episodes, {
      keyOf: (episode) => `${episode.startedAt} ${episode.endedAt === null} ${episode.story[0]?.id}`,
      make: makeEpisode,
      update: updateEpisode,
    });
    this.#othersTitle.hidden = !others.length;
    drawEntries(this.#others, linesIn(others));
    this.#older.hidden = !this.#pages.at(-1)?.cursor;
  }
}
