/** What could not be processed, for admins: the list, each message, and putting it back on its queue. */
import { get, pathOf, withCursor, write } from "./api.js";
import { drawByKey, element, fill } from "./dom.js";
import { during, problemPlace } from "./during.js";
import { setTitle } from "./header.js";
import { problemText, text, timeOf } from "./speech.js";

/**
 * @typedef {{id: string, timestamp: string, consumer: string, error: {name: string, message: string}, truncated?: boolean, facts?: number,
 *   resubmittedAt?: string, resubmissions?: number, failedAgainAt?: string, message?: string}} Fault
 */

const FAULTS = 50;

/**
 * @param {import("./app.js").Context} context
 * @returns {import("./app.js").View}
 */
export function openFaults(context) {
  /** @type {Fault[]} */
  let faults = [];
  let cursor = "";
  const list = element("ul", { class: "rows" });
  const state = element("p", { class: "empty" }, "…");
  const older = element("button", { type: "button", hidden: true, onclick: () => void read(cursor) }, text("faults.older"));
  const again = element("button", { type: "button", onclick: () => void read("") }, text("faults.refresh"));
  setTitle(text("faults.title"));

  /** @param {string} from */
  async function read(from) {
    try {
      const { body } = await get(withCursor(`/faults?limit=${FAULTS}`, from));
      faults = from ? [...faults, ...body.items] : body.items;
      cursor = body.cursor ?? "";
      drawFaults();
    } catch (error) {
      state.hidden = false;
      fill(state, problemText(error));
    }
  }

  function drawFaults() {
    state.hidden = faults.length > 0;
    fill(state, text("faults.none"));
    older.hidden = !cursor;
    drawByKey(list, faults, { keyOf: (fault) => fault.id, make: makeFault, update: updateFault });
  }

  /** @param {Fault} fault */
  function makeFault({ id }) {
    const problem = problemPlace();
    const message = element("pre", { tabindex: 0 });
    const details = element(
      "details",
      { ontoggle: () => void during(problem, async () => fill(message, (await get(pathOf`/faults/${id}`)).body.message)) },
      element("summary", {}, text("faults.show")),
      message,
    );
    const resubmit = element(
      "button",
      { type: "button", onclick: () => void during(problem, () => putBack(id), resubmit) },
      text("faults.resubmit"),
    );
    return element("li", { class: "fault" }, element("div", { class: "fault-head" }), details, problem, resubmit);
  }

  /** @param {string} id */
  async function putBack(id) {
    const { body } = await write("POST", pathOf`/faults/${id}/resubmit`, null);
    faults = faults.map((fault) => (fault.id === id ? { ...fault, ...body } : fault));
    context.say(text("faults.done", { consumer: body.consumer }));
    drawFaults();
  }

  void read("");
  const section = element("section", { class: "faults" }, element("div", { class: "tools" }, again), state, list, older);
  return { elements: [section], className: "view-faults", draw: () => {}, close: () => {} };
}

/**
 * @param {HTMLElement} place
 * @param {Fault} fault
 */
function updateFault(place, fault) {
  const { consumer, error, timestamp, resubmittedAt, resubmissions = 0, failedAgainAt } = fault;
  const times =
    resubmissions > 1
      ? text("faults.resubmitted.times", { count: resubmissions, time: timeOf(resubmittedAt ?? "") })
      : text("faults.resubmitted", { time: timeOf(resubmittedAt ?? timestamp) });
  fill(
    /** @type {Element} */ (place.firstElementChild),
    element("strong", {}, consumer),
    element("time", { datetime: timestamp }, timeOf(timestamp)),
    element("span", { class: "result" }, `${error.name}: ${error.message}`),
    fault.facts !== undefined && element("span", { class: "detail" }, text("faults.facts", { count: fault.facts })),
    fault.truncated === true && element("span", { class: "detail" }, text("faults.truncated")),
    resubmittedAt !== undefined && element("span", { class: "detail" }, times),
    failedAgainAt !== undefined && element("span", { class: "detail" }, text("faults.failedAgain", { time: timeOf(failedAgainAt) })),
  );
}
