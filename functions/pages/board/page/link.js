/**
 * What the link of a message is about. Whoever presses twice, with a second between, says that they have seen it: what
 * looks at links before people do, as scanners of mail, runs scripts and presses buttons, too.
 */
import { element, fill } from "./dom.js";
import { setTitle } from "./header.js";
import { linkIn } from "./link-token.js";
import { speakerOf, timeOf } from "./speech.js";

const BETWEEN_MS = 1000;
const GIVE_UP_MS = 15_000;
const ID_LENGTH = 36;

const text = speakerOf("link");

/** @typedef {{equipmentId: string, state: string, timestamp: string, acknowledgedBy: string, acknowledgedAt: string}} Seen */

/**
 * @param {string} token
 * @returns {import("./app.js").View}
 */
export function openLink(token) {
  setTitle(text("title"));
  const link = linkIn(token);
  const section = element("section", { class: "link" });
  if (link === null) fill(section, ...gone());
  else ask(section, token, link);
  return { elements: [section], className: "view-link", draw: () => {}, close: () => {} };
}

/**
 * @param {HTMLElement} section
 * @param {string} token
 * @param {import("./link-token.js").Link} link
 */
function ask(section, token, link) {
  const first = element("button", { type: "button", class: "main" }, text("coming"));
  const question = element("h2", { tabindex: -1 }, text("sure"));
  const yes = element("button", { type: "button", class: "main" }, text("yes"));
  const no = element("button", { type: "button" }, text("no"));
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  const asked = element("div", { class: "asked", hidden: true }, question, problem, yes, no);
  let pressedMs = Infinity;
  let isSending = false;

  first.addEventListener("click", (event) => {
    if (!event.isTrusted) return;
    pressedMs = event.timeStamp;
    first.hidden = true;
    asked.hidden = false;
    question.focus(); // a key that is held down presses nothing here
  });
  no.addEventListener("click", () => {
    pressedMs = Infinity;
    asked.hidden = problem.hidden = true;
    first.hidden = false;
    first.focus();
  });
  yes.addEventListener("click", async (event) => {
    if (!event.isTrusted || isSending || !(event.timeStamp - pressedMs >= BETWEEN_MS)) return;
    isSending = true;
    fill(yes, text("sending"));
    const answer = await seen(token);
    isSending = false;
    fill(yes, text("yes"));
    if (answer === null) {
      fill(problem, text("unreachable"));
      problem.hidden = false;
    } else {
      section.replaceChildren(...(answer.status === 200 ? told(answer.body) : gone()));
    }
  });
  section.replaceChildren(
    element("ul", {}, ...link.logs.map((log) => entry(log.equipmentId, log.state, text("since", { time: timeOf(log.atMs) })))),
    element("p", { class: "to" }, text("to", { person: shortOf(link.person) })),
    first,
    asked,
  );
}

/** @param {{person: string, items: Seen[]}} answer */
function told({ person, items }) {
  const isYours = (/** @type {Seen} */ one) => one.acknowledgedBy === person;
  const entries = items.map((one) => {
    const others = { person: shortOf(one.acknowledgedBy), time: timeOf(one.acknowledgedAt) };
    return entry(one.equipmentId, one.state, isYours(one) ? text("yours") : text("others", others));
  });
  return [
    element("p", { class: "done", role: "status" }, items.some(isYours) ? text("done") : text("late")),
    element("ul", {}, ...entries),
    toBoard(),
  ];
}

const gone = () => [element("p", { class: "problem", role: "alert" }, text("gone")), toBoard()];

const toBoard = () => element("a", { class: "board", href: "#/" }, text("board"));

/**
 * @param {string} name
 * @param {string} state
 * @param {string} what
 */
const entry = (name, state, what) => element("li", {}, element("strong", {}, text("needs", { name, state })), what);

/**
 * Names are for who has signed in: a badge says who it is, of a subject its beginning has to do.
 *
 * @param {string} person
 */
const shortOf = (person) => (person.length < ID_LENGTH ? person : `#${person.slice(0, 4)}`);

/**
 * Say it to the API, which alone knows if the link counts. Nobody is signed in.
 *
 * @param {string} token
 * @returns {Promise<{status: number, body: any} | null>} null: there was no answer, or none yet
 */
async function seen(token) {
  try {
    const response = await fetch("/links/seen", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    if (response.status === 429 || response.status >= 500) return null;
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}
