/** Which board: a company's; its factories and lines are links on it. */
import { element } from "./dom.js";
import { setTitle } from "./header.js";
import { fragmentOf } from "./places.js";
import { text } from "./speech.js";

const RECENT = "andon.companies";
const KEPT = 6;

/** @returns {string[]} */
function recent() {
  try {
    const kept = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((company) => typeof company === "string") : [];
  } catch {
    return []; // somebody else's, or storage is off
  }
}

/** @param {string} company */
export function remember(company) {
  try {
    const others = recent().filter((one) => one !== company);
    localStorage.setItem(RECENT, JSON.stringify([company, ...others].slice(0, KEPT)));
  } catch {
    // Storage is off: nothing is offered next time.
  }
}

/** @returns {import("./app.js").View} */
export function openChoice() {
  const input = element("input", { name: "company", required: true, maxlength: 128, autocomplete: "organization" });
  /** @param {Event} event */
  const open = (event) => {
    event.preventDefault();
    location.hash = fragmentOf({ view: "board", company: input.value.trim() });
  };
  const form = element(
    "form",
    { class: "choice", onsubmit: open },
    element("label", {}, text("choose.company"), input),
    element("button", { type: "submit", class: "main" }, text("choose.open")),
  );
  const links = recent().map((company) => element("a", { href: fragmentOf({ view: "board", company }) }, company));
  const before = element("nav", { class: "recent", "aria-label": text("choose.recent") }, element("h2", {}, text("choose.recent")), ...links);
  before.hidden = !links.length;
  setTitle(text("choose.title"));
  return { elements: [form, before], className: "view-choose", draw: () => {}, close: () => {} };
}
