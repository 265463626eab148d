/** Who is on duty in a factory, now and in the next seven days, and where nobody is. */
import { Refused, serverNowMs } from "./api.js";
import { personText } from "./directory.js";
import { element, fill, isNew } from "./dom.js";
import { during, problemPlace } from "./during.js";
import { DAY, isGap, linesOf, onDuty, ROLES, spansOf, wallMinute, wallOf, WEEK } from "./duty-times.js";
import { setTitle } from "./header.js";
import { icon } from "./icons.js";
import { may } from "./roles.js";
import { problemText, speakerOf } from "./speech.js";
import { endOverride, openTakeOver, RosterFile, wallText } from "./take-over.js";

/**
 * @typedef {import("./duty-times.js").Roster} Roster
 * @typedef {import("./duty-times.js").Role} Role
 * @typedef {import("./duty-times.js").Duty} Duty
 * @typedef {{line: string | null, words: string, isGap: boolean}} Present  Who is there, of a line.
 * @typedef {{when: string, shift: string | null, words: string, isGap: boolean}} ShownSpan
 */

const REREAD_MS = 30_000;

const say = speakerOf("duty");

/**
 * @param {import("./places.js").DutyPlace} place
 * @param {import("./app.js").Context} context
 * @returns {import("./app.js").View}
 */
export function openDuty({ company, factoryId }, context) {
  const file = new RosterFile(factoryId);
  const state = element("p", { class: "empty", role: "status" }, say("loading"));
  const gaps = element("p", { class: "gaps", hidden: true });
  const now = element("section", { class: "duty-now", "aria-labelledby": "duty-now" });
  const taken = element("section", { "aria-labelledby": "duty-taken" });
  const week = element("section", { "aria-labelledby": "duty-week" });
  const note = element("p", { class: "empty" });
  let readMs = -Infinity;
  setTitle(say("title", { factory: factoryId }));
  context.follow(company);

  async function read() {
    try {
      await file.read();
      fill(state);
      draw();
    } catch (error) {
      fill(state, error instanceof Refused && error.status === 404 ? say("none") : problemText(error));
    }
  }

  const changed = (/** @type {string} */ words) => {
    context.say(words);
    draw();
  };

  function draw() {
    if (performance.now() > readMs + REREAD_MS) {
      readMs = performance.now();
      void read();
    }
    const { roster } = file;
    const minute = roster && minuteIn(roster, state);
    if (roster === null || minute === null) return;
    const nowShown = { file, minute: () => minuteIn(roster, state) ?? minute, mayChange: may(context.who, "roster"), changed };
    drawNow(now, roster, minute, nowShown);
    drawTaken(taken, roster, minute, nowShown);
    drawWeek(week, gaps, roster, minute);
    fill(note, say("clock", { zone: roster.timezone ?? "UTC" }));
  }

  return { elements: [element("div", { class: "duty" }, state, gaps, now, taken, week, note)], className: "", draw, close: () => {} };
}

/**
 * The minute that the factory's clock shows; null: this browser does not know its zone.
 *
 * @param {Roster} roster
 * @param {HTMLElement} state
 */
function minuteIn({ timezone }, state) {
  try {
    return wallMinute(serverNowMs(), timezone);
  } catch {
    fill(state, say("unzoned", { zone: timezone ?? "" }));
    return null;
  }
}

/**
 * @typedef {{file: RosterFile, minute: () => number, mayChange: boolean, changed: (words: string) => void}} Means
 */

/**
 * @param {HTMLElement} place
 * @param {Roster} roster
 * @param {number} minute
 * @param {Means} means
 */
function drawNow(place, roster, minute, { file, minute: now, mayChange, changed }) {
  const roles = ROLES.map((role) => ({ role, present: presentOf(role, roster, minute) }));
  if (!isNew(place, roles, mayChange)) return;
  const cards = roles.map(({ role, present }) => {
    const name = say(`role.${role}`);
    const onclick = () => void openTakeOver(role, file, { now, done: changed });
    const button = element("button", { type: "button", "aria-label": say("take.label", { role: name }), onclick }, say("take"));
    return element(
      "li",
      { class: "duty-role", "data-gap": present.some((one) => one.isGap) },
      element("h3", {}, name),
      ...present.map(({ line, words, isGap: gap }) =>
        element("p", { class: "on-duty", "data-gap": gap }, icon(gap ? "nobody" : "person"), line !== null && element("span", { class: "of-line" }, line), element("strong", {}, words)),
      ),
      mayChange && button,
    );
  });
  place.replaceChildren(element("h2", { id: "duty-now" }, say("now")), element("ul", { class: "duty-roles" }, ...cards));
}

/**
 * Who has a role now, of each line; of a factory whose lines have the same people once.
 *
 * @param {Role} role
 * @param {Roster} roster
 * @param {number} minute
 * @returns {Present[]}
 */
function presentOf(role, roster, minute) {
  const lines = linesOf(roster).map((line) => ({ line, ...wordsOf(role, onDuty(roster, minute, line), roster) }));
  const isOne = lines.every((one) => one.words === lines[0]?.words);
  return isOne ? lines.slice(0, 1).map((one) => ({ ...one, line: null })) : lines.map((one) => ({ ...one, line: one.line ?? say("line.others") }));
}

/**
 * @param {Role} role
 * @param {Duty} duty
 * @param {Roster} roster
 */
function wordsOf(role, duty, { supervisor }) {
  if (role === "manager") return { words: duty.manager === null ? "–" : personText(duty.manager), isGap: false };
  if (role === "operator") return { words: isGap(duty) ? say("gap") : peopleText(duty.operators), isGap: isGap(duty) };
  const isNobody = duty.supervisor === null;
  return { words: isNobody ? say("gap.asked", { name: personText(supervisor) }) : personText(duty.supervisor ?? ""), isGap: isNobody };
}

/** @param {readonly string[]} people */
const peopleText = (people) => people.map(personText).join(", ");

/**
 * @param {HTMLElement} place
 * @param {Roster} roster
 * @param {number} minute
 * @param {Means} means
 */
function drawTaken(place, { overrides = [] }, minute, { file, mayChange, minute: now, changed }) {
  const wall = wallOf(minute);
  const shown = overrides
    .filter((one) => wall < one.to)
    .map((one) => ({ one, name: personText(one.person), from: wallText(one.from, minute), to: wallText(one.to, minute), isLater: wall < one.from }));
  place.hidden = !shown.length;
  if (!isNew(place, shown, mayChange)) return;
  const rows = shown.map(({ one, name, from, to, isLater }) => {
    const role = say(`role.${one.role}`);
    const problem = problemPlace();
    const end = async () => changed(say((await endOverride(one, file, now())) ? "override.ended" : "take.changed"));
    const onclick = () => void during(problem, end, button);
    const button = element("button", { type: "button", "aria-label": say("override.end.label", { role, name }), onclick }, say("override.end"));
    const words = say(isLater ? "override.later" : "override", { name, from, to });
    return element("li", { class: "taken" }, element("span", {}, element("strong", {}, role), ` ${words}`), mayChange && button, problem);
  });
  place.replaceChildren(element("h2", { id: "duty-taken" }, say("overrides")), element("ul", { class: "rows" }, ...rows));
}

/**
 * @param {HTMLElement} place
 * @param {HTMLElement} gaps
 * @param {Roster} roster
 * @param {number} minute
 */
function drawWeek(place, gaps, roster, minute) {
  const lines = linesOf(roster).map((line) => ({ line, spans: shownSpans(roster, minute, line) }));
  const count = lines.flatMap(({ spans }) => spans).filter((span) => span.isGap).length;
  gaps.hidden = count === 0;
  fill(gaps, icon("nobody"), say("gaps", { count }));
  if (!isNew(place, lines)) return;
  const isOne = lines.length === 1;
  place.replaceChildren(
    element("h2", { id: "duty-week" }, say("week")),
    ...lines.flatMap(({ line, spans }) => [
      !isOne && element("h3", {}, line ?? say("line.others")),
      spans.length === 1 && !spans[0]?.isGap ? element("p", {}, say("same")) : element("ol", { class: "spans" }, ...spans.map(spanRow)),
    ]).filter((one) => one !== false),
  );
}

/**
 * @param {Roster} roster
 * @param {number} minute
 * @param {string | null} line
 * @returns {ShownSpan[]}
 */
const shownSpans = (roster, minute, line) =>
  spansOf(roster, minute, minute + WEEK, line).map(({ from, to, duty }, index) => {
    const end = to - from < DAY ? wallOf(to).slice(11) : wallText(wallOf(to), from); // of a night, no day
    const until = to < minute + WEEK ? end : null;
    const begin = wallText(wallOf(from), minute);
    const supervisor = duty.supervisor === null ? [] : [duty.supervisor];
    return {
      when: index === 0 ? (until === null ? "" : say("until", { time: wallText(wallOf(to), minute) })) : `${begin} – ${until ?? "…"}`,
      shift: duty.shift,
      words: isGap(duty) ? say("gap") : peopleText([...duty.operators, ...supervisor]),
      isGap: isGap(duty),
    };
  });

/** @param {ShownSpan} span */
const spanRow = ({ when, shift, words, isGap: gap }) =>
  element(
    "li",
    { "data-gap": gap },
    icon(gap ? "nobody" : "person"),
    element("span", { class: "when" }, when),
    shift !== null && element("span", { class: "shift" }, shift),
    element("strong", {}, words),
  );
