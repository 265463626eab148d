/** What happened to a machine, as a timeline. */
import { serverNowMs } from "./api.js";
import { personText } from "./directory.js";
import { drawByKey, element, fill, setAttribute, svg } from "./dom.js";
import { icon } from "./icons.js";
import { age, isText, text, timeOf } from "./speech.js";
import { linesIn, PERSONS, runsIn, wordsOf } from "./story-lines.js";
import { riskText } from "./words.js";

/**
 * @typedef {import("./story-lines.js").Entry} Entry
 * @typedef {import("./story-lines.js").Episode} Episode
 * @typedef {import("./story-lines.js").Line} Line
 */

const DAY_MS = 86_400_000;
const WIDTH = 1440;
const HEIGHT = 48;

/** What lasted for a minute is seen, too. */
const LEAST_WIDTH = 6;

/** @type {Record<string, import("./icons.js").Icon>} */
const ICONS = {
  "operator-assigned": "person",
  "state-escalated": "escalated",
  "state-acknowledged": "seen",
  "equipment-at-risk": "risk",
  "equipment-silent": "silent",
  "equipment-back": "running",
};

/** @returns {HTMLElement} */
export const makeEpisode = () => element("li", { class: "episode" }, element("h3", {}), element("ol", { class: "entries" }));

/**
 * @param {HTMLElement} place
 * @param {Episode} episode
 */
export function updateEpisode(place, episode) {
  const { startedAt, endedAt } = episode;
  const endMs = endedAt === null ? serverNowMs() : Date.parse(endedAt);
  const when =
    endedAt === null
      ? text("episode.open", { from: timeOf(startedAt) })
      : text("episode.closed", { from: timeOf(startedAt), to: timeOf(endedAt) });
  setAttribute(place, "data-open", endedAt === null);
  fill(
    /** @type {Element} */ (place.firstElementChild),
    when,
    element("span", { class: "age" }, ` ${text("episode.lasted", { age: age(endMs - Date.parse(startedAt)) })}`),
    episode.partial === true && element("span", { class: "partial" }, ` ${text("episode.partial")}`),
  );
  drawEntries(/** @type {Element} */ (place.lastElementChild), linesIn(episode.story));
}

/**
 * @param {Element} list
 * @param {readonly Line[]} lines
 */
export function drawEntries(list, lines) {
  drawByKey(list, lines, { keyOf: ({ entry }) => entry.id, make: () => element("li", { class: "entry" }), update: updateEntry });
}

/**
 * @param {HTMLElement} place
 * @param {Line} line
 */
function updateEntry(place, { entry, times, lastAt }) {
  const kind = kindOfEntry(entry);
  setAttribute(place, "data-kind", kind);
  fill(
    place,
    icon(ICONS[entry.type] ?? kind ?? "unknown"),
    element("time", { datetime: entry.at }, timeOf(entry.at)),
    element("span", { class: "said" }, said(entry)),
    times > 1 && element("span", { class: "times" }, `× ${times}, ${timeOf(lastAt)}`),
  );
}

/**
 * @param {Entry} entry
 * @returns {"running" | "error" | "warning" | null}
 */
function kindOfEntry(entry) {
  if (entry.type !== "state-reported") return null;
  if (entry.state === "NORMAL") return "running";
  return entry.state?.startsWith("ERROR") ? "error" : "warning";
}

/** @param {Entry} entry */
function said(entry) {
  const { keys, values } = wordsOf(entry);
  const since = entry.since === undefined ? {} : { since: timeOf(entry.since) };
  const reason = entry.reason === undefined ? {} : { reason: riskText(entry.reason) };
  const named = PERSONS.flatMap((member) => (entry[member] === undefined ? [] : [[member, personText(entry[member])]]));
  return text(keys.find(isText) ?? "entry.other", { ...values, ...since, ...reason, ...Object.fromEntries(named) });
}

/**
 * The last day as a strip: what a machine was in, at its time. Errors fill its height, warnings half of it.
 *
 * @param {readonly Episode[]} episodes
 */
export function strip(episodes) {
  const nowMs = serverNowMs();
  const fromMs = nowMs - DAY_MS;
  const runs = runsIn(episodes, nowMs).filter((run) => run.toMs > fromMs);
  const count = episodes.filter((episode) => episode.endedAt === null || Date.parse(episode.endedAt) > fromMs).length;
  const xOf = (/** @type {number} */ ms) => Math.max(0, ((ms - fromMs) / DAY_MS) * WIDTH);
  const rects = runs.map((run) => {
    const isError = run.state.startsWith("ERROR");
    const width = Math.max(LEAST_WIDTH, xOf(run.toMs) - xOf(run.fromMs));
    const x = Math.min(xOf(run.fromMs), WIDTH - LEAST_WIDTH);
    const height = isError ? HEIGHT : HEIGHT / 2;
    const title = svg("title", {}, document.createTextNode(`${run.state} ${timeOf(run.fromMs)}`));
    const kind = isError ? "error" : "warning";
    return svg("rect", { class: `run-${kind}`, x, y: HEIGHT - height, width, height }, title);
  });
  const label = text("machine.strip", { count });
  const ticks = [0, 6, 12, 18, 24].map((hours) => element("span", {}, timeOf(fromMs + hours * 3_600_000).replace(/^.*, /, "")));
  return element(
    "figure",
    { class: "strip" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...rects),
    element("div", { class: "ticks", "aria-hidden": "true" }, ...ticks),
    element("figcaption", {}, label),
  );
}
