/** The card of the page "Me" about hours in which silent channels come first. */
import { withQuietHours } from "./contact.js";
import { element, isNew } from "./dom.js";
import { during, problemPlace } from "./during.js";
import { speakerOf } from "./speech.js";

/** @typedef {import("./contact.js").QuietHours} QuietHours */

const NIGHT = { from: "22:00", to: "06:00" };

const say = speakerOf("me");

/**
 * @param {import("./contact-file.js").ContactFile} file
 * @param {(words: string) => void} tell
 */
export function quietCard(file, tell) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const problem = problemPlace();
  const from = element("input", { name: "from", type: "time", required: true });
  const to = element("input", { name: "to", type: "time", required: true });
  const zone = element("select", { name: "zone", id: "quiet-zone" });
  const button = element("button", { type: "submit" }, say("save"));
  const none = element("button", { type: "button", onclick: () => void during(problem, () => save(null), none) }, say("quiet.none"));
  const form = element(
    "form",
    { class: "address" },
    element("div", { class: "hours" }, element("label", {}, say("quiet.from"), from), element("label", {}, say("quiet.to"), to)),
    element("label", { for: zone.id }, say("quiet.zone")),
    zone,
    button,
  );
  const standing = element("p", { class: "empty" });
  const section = element(
    "section",
    { class: "channel", "aria-labelledby": "channel-quiet" },
    element("h2", { id: "channel-quiet" }, say("quiet")),
    element("p", {}, say("quiet.explain")),
    standing,
    form,
    none,
    problem,
  );

  /** @param {QuietHours | null} hours */
  async function save(hours) {
    const isKept = await file.change((contact) => withQuietHours(contact, hours));
    draw();
    tell(say(!isKept ? "changed" : hours ? "saved" : "quiet.removed"));
  }
  form.addEventListener("input", () => to.setCustomValidity(from.value === to.value ? say("quiet.same") : ""));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void during(problem, () => save({ from: from.value, to: to.value, timezone: zone.value }), button);
  });

  function draw() {
    const { quietHours } = file.contact;
    standing.hidden = quietHours !== undefined;
    standing.textContent = say("quiet.unset");
    none.hidden = quietHours === undefined;
    const shown = quietHours ?? { ...NIGHT, timezone: here };
    if (!isNew(form, shown)) return; // what was chosen and not saved stays
    [from.value, to.value] = [shown.from, shown.to];
    const zones = [...new Set([shown.timezone, here, ...Intl.supportedValuesOf("timeZone")])];
    zone.replaceChildren(...zones.map((name) => element("option", { value: name }, name)));
    zone.value = shown.timezone;
  }
  return { section, draw };
}
