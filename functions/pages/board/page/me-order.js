/** The card of the page "Me" about the order in which channels are tried. */
import { addressIn, orderIn, withEarlier } from "./contact.js";
import { drawByKey, element, fill, setAttribute } from "./dom.js";
import { during, problemPlace } from "./during.js";
import { speakerOf } from "./speech.js";

/**
 * @typedef {import("./contact.js").Channel} Channel
 * @typedef {ReturnType<typeof orderIn>[number] & {place: number}} Place
 */

const say = speakerOf("me");

/**
 * @param {import("./contact-file.js").ContactFile} file
 * @param {(words: string) => void} tell
 */
export function orderCard(file, tell) {
  const problem = problemPlace();
  const list = element("ol", { class: "order" });
  const section = element(
    "section",
    { class: "channel", "aria-labelledby": "channel-order" },
    element("h2", { id: "channel-order" }, say("order")),
    element("p", {}, say("order.explain")),
    list,
    problem,
  );

  /** @param {Place} shown */
  function make({ channel }) {
    const button = element("button", { type: "button", onclick: () => void during(problem, move, button).then(focus) }, say("order.earlier"));
    async function move() {
      const isKept = await file.change((contact) => withEarlier(contact, channel));
      draw();
      tell(say(isKept ? "saved" : "changed"));
    }
    /** The first one has no button any more: the next one is at hand. */
    const focus = () => /** @type {HTMLElement | null} */ (button.hidden ? list.querySelector("button:not([hidden])") : button)?.focus();
    return element("li", {}, element("span", { class: "name" }), element("span", { class: "left-out" }), button);
  }

  /** @type {(row: HTMLElement, shown: Place) => void} */
  function update(row, { channel, isTried, place }) {
    const [name, why, button] = /** @type {[HTMLElement, HTMLElement, HTMLElement]} */ ([...row.children]);
    const isUsed = addressIn(file.contact, channel) !== "";
    setAttribute(row, "data-tried", isTried);
    setAttribute(row, "data-used", isTried && isUsed);
    fill(name, say(channel === "push" ? "order.push" : channel));
    fill(why, isTried ? !isUsed && say("none") : say("order.untried"));
    fill(button, say(isTried ? "order.earlier" : "order.try"));
    setAttribute(button, "aria-label", say(isTried ? "order.earlier.label" : "order.try.label", { channel: name.textContent ?? "" }));
    button.hidden = place === 0;
  }

  const draw = () => {
    const shown = orderIn(file.contact).map((one, place) => ({ ...one, place }));
    drawByKey(list, shown, { keyOf: ({ channel }) => channel, make, update });
  };
  return { section, draw };
}
