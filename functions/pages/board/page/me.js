/** How whoever is signed in is told: addresses, the codes that check them, test messages, this browser; in which order. */
import { ContactFile } from "./contact-file.js";
import { addressIn, withAddress, withDevice, withoutDevice } from "./contact.js";
import { element, fill, isNew, setAttribute } from "./dom.js";
import { during, problemPlace } from "./during.js";
import { setTitle } from "./header.js";
import { icon } from "./icons.js";
import { languageCard } from "./me-language.js";
import { orderCard } from "./me-order.js";
import { quietCard } from "./me-quiet.js";
import { isPersonId } from "./people.js";
import { Hindered, hindrance, subscribe, subscribed, unsubscribe } from "./push.js";
import { problemText, speakerOf } from "./speech.js";

/**
 * @typedef {import("./contact.js").Channel} Channel
 * @typedef {"mail" | "sms" | "webhook"} Written  A channel whose address is typed.
 */

/** @type {Record<Written, import("./dom.js").Properties>} */
const INPUTS = {
  mail: { type: "email", autocomplete: "email", maxlength: 254 },
  sms: { type: "tel", autocomplete: "tel", maxlength: 32 },
  webhook: { type: "url", autocomplete: "off", maxlength: 2048, pattern: "https://.*" },
};

const say = speakerOf("me");

const CODE_MS = 600_000; // services.notify.proofs.LIFETIME_MS
const DIGITS = 6; // services.notify.contact_code.DIGITS

/**
 * @param {import("./app.js").Context} context
 * @returns {import("./app.js").View}
 */
export function openMe({ who, say: tell }) {
  const file = new ContactFile(idOf(who));
  const state = element("p", { class: "empty", role: "status" }, say("loading"));
  const cards = element("div", { class: "channels", hidden: true });
  const drawn = [
    ...[writtenCard("mail"), writtenCard("sms"), pushCard(), writtenCard("webhook")],
    ...[orderCard(file, tell), quietCard(file, tell), languageCard(file, tell)],
  ];
  const page = element("div", { class: "me" }, element("p", {}, say("explain")), state, cards);
  setTitle(say("title"));

  /** @param {Written} channel */
  function writtenCard(channel) {
    const input = element("input", { name: channel, ...INPUTS[channel] });
    const button = element("button", { type: "submit" }, say("save"));
    const save = async () => {
      const isKept = await file.change((contact) => withAddress(contact, channel, input.value.trim()));
      tell(isKept ? say(input.value.trim() ? "saved" : "removed") : say("changed"));
    };
    const form = element("form", { class: "address" }, element("label", {}, say(`${channel}.label`), input), button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void card.during(save, button);
    });
    const card = channelCard(channel, form);
    const draw = () => {
      const address = addressIn(file.contact, channel);
      if (isNew(input, address)) input.value = address; // what was typed and not saved stays
      card.draw();
    };
    return { section: card.section, draw };
  }

  function pushCard() {
    const note = element("p", { class: "empty" });
    const on = element("button", { type: "button", class: "main", onclick: () => void card.during(turnOn, on) }, say("push.on"));
    const off = element("button", { type: "button", onclick: () => void card.during(turnOff, off) }, say("push.off"));
    const card = channelCard("push", element("div", { class: "address" }, note, on, off));
    async function turnOn() {
      try {
        const here = await subscribe();
        tell((await file.change((contact) => withDevice(contact, here))) ? say("saved") : say("changed"));
      } catch (error) {
        if (!(error instanceof Hindered)) throw error;
        fill(note, say(`push.${error.why}`));
      }
    }
    async function turnOff() {
      const endpoint = await unsubscribe();
      tell((await file.change((contact) => withoutDevice(contact, endpoint))) ? say("removed") : say("changed"));
    }
    async function draw() {
      const [why, here] = await Promise.all([hindrance(), subscribed()]);
      const told = addressIn(file.contact, "push");
      const isHere = here !== null && here.endpoint === told;
      fill(note, why === null ? !isHere && told && say("push.other") : say(`push.${why}`));
      [on.hidden, off.hidden] = [isHere || why !== null, !isHere];
      card.draw(isHere);
    }
    return { section: card.section, draw: () => void draw().catch((error) => fill(note, problemText(error))) };
  }

  /**
   * What all channels have: whether one is told there, a code, a test message.
   *
   * @param {Channel} channel
   * @param {HTMLElement} address
   */
  function channelCard(channel, address) {
    const standing = element("p", { class: "standing-of" });
    const problem = problemPlace();
    const code = element("input", { name: "code", inputmode: "numeric", pattern: `[0-9]{${DIGITS}}`, maxlength: DIGITS, required: true, autocomplete: "one-time-code" });
    const confirm = element("button", { type: "submit", class: "main" }, say("code.confirm"));
    const typed = element("form", { class: "address", hidden: true }, element("label", {}, say("code.label"), code), confirm);
    const ask = element("button", { type: "button", onclick: () => void work(askForCode, ask) }, say("code.ask"));
    const test = element("button", { type: "button", onclick: () => void work(sendTest, test) }, say("test"));
    const id = `channel-${channel}`;
    const section = element(
      "section",
      { class: "channel", "aria-labelledby": id },
      element("h2", { id }, say(channel)),
      standing,
      address,
      element("div", { class: "asking" }, ask, test),
      typed,
      problem,
    );
    async function askForCode() {
      await file.ask(channel, "code");
      tell(say("code.asked", { count: CODE_MS / 60_000 }));
      typed.hidden = false;
      code.value = "";
      code.focus();
    }
    async function sendTest() {
      await file.ask(channel, "test");
      tell(say("test.sent"));
    }
    async function confirmCode() {
      const isTaken = await file.verify(channel, code.value);
      problem.hidden = isTaken;
      fill(problem, say("code.gone"));
      if (!isTaken) return;
      typed.hidden = true;
      tell(say("code.confirmed"));
    }
    typed.addEventListener("submit", (event) => {
      event.preventDefault();
      void work(confirmCode, confirm);
    });
    /** @type {(what: () => Promise<unknown>, button: HTMLButtonElement) => Promise<void>} */
    const work = async (what, button) => {
      await during(problem, what, button);
      for (const one of drawn) one.draw();
    };
    const draw = (isUsed = addressIn(file.contact, channel) !== "") => {
      const isVerified = isUsed && file.contact.verifiedAt[channel] !== undefined;
      setAttribute(section, "data-standing", isVerified ? "verified" : isUsed ? "unverified" : "none");
      const shape = isVerified ? "running" : isUsed ? "warning" : "skipped";
      fill(standing, icon(shape), say(isVerified ? "verified" : isUsed ? "unverified" : "none"));
      ask.hidden = !isUsed || isVerified;
      typed.hidden ||= !isUsed || isVerified;
      test.hidden = !isVerified;
    };
    return { section, draw, during: work };
  }

  async function read() {
    try {
      await file.read();
      fill(state);
      cards.hidden = false;
      for (const one of drawn) one.draw();
    } catch (error) {
      fill(state, problemText(error));
    }
  }

  cards.append(...drawn.map((one) => one.section));
  void read();
  return { elements: [page], className: "", draw: () => {}, close: () => {} };
}

/**
 * The id by which rosters and chains name somebody: a badge, if one signs in by it.
 *
 * @param {import("./roles.js").Who | null} who
 */
const idOf = (who) => (who === null ? "" : isPersonId(who.name) ? who.name : who.subject);
