/** The dialogs in which a person acts on a log: has seen it, assigns it, escalates it. */
import { find, pathOf, Refused, write } from "./api.js";
import { choicesOf, matching, meant } from "./choices.js";
import { DeedDialog } from "./deed-dialog.js";
import { expectNames, peopleOf, personText } from "./directory.js";
import { element, fill } from "./dom.js";
import { nameOf } from "./items.js";
import { isPersonId } from "./people.js";
import { text } from "./speech.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./pending.js").ShownItem} ShownItem
 * @typedef {import("./help.js").LogDeed} LogDeed
 * @typedef {import("./choices.js").Choice} Choice
 * @typedef {{path: string, member: "operator" | "supervisor", shown: "operator" | "escalatedTo"}} Responsibility
 */

const STALE = [412, 428]; // somebody else was first: with another version, or with the first one
const SUGGESTED = 12;

/** @type {Record<"assign" | "escalate", Responsibility>} */
const RESPONSIBILITIES = {
  assign: { path: "assignment", member: "operator", shown: "operator" },
  escalate: { path: "escalation", member: "supervisor", shown: "escalatedTo" },
};

/**
 * @param {LogDeed} deed
 * @param {ShownItem} item  As it was when the person decided to act: its log is the one that is acted on.
 * @param {Context} context
 */
export function openDeed(deed, item, context) {
  if (deed === "acknowledge") openAcknowledgement(item, context);
  else void openResponsibility(deed, item, context);
}

/**
 * @param {ShownItem} item
 * @param {Context} context
 */
function openAcknowledgement(item, context) {
  const name = nameOf(item);
  const dialog = new DeedDialog(text("deed.acknowledge.title", { name }), text("deed.acknowledge.do"));
  dialog.body.append(element("p", {}, text("deed.acknowledge.explain")));
  dialog.onSubmit = async () => {
    const me = { acknowledgedBy: context.who?.subject ?? "" };
    const send = () => write("PUT", logPath(item, "acknowledgement"), null);
    const { body } = await context.pending.during(item, me, send);
    const isMine = body.acknowledgedBy === me.acknowledgedBy;
    if (!isMine) await expectNames(body.acknowledgedBy);
    const who = personText(body.acknowledgedBy);
    context.say(isMine ? text("deed.acknowledge.done", { name }) : text("deed.acknowledge.faster", { who }));
    return true;
  };
  dialog.open();
}

/**
 * @param {"assign" | "escalate"} deed
 * @param {ShownItem} item
 * @param {Context} context
 */
async function openResponsibility(deed, item, context) {
  const { path, member, shown } = RESPONSIBILITIES[deed];
  const name = nameOf(item);
  const dialog = new DeedDialog(text(`deed.${deed}.title`, { name }), text(`deed.${deed}.do`));
  const now = element("p", { class: "now" }, text("deed.reading"));
  const input = personInput();
  const suggested = element("div", { class: "suggested" });
  const choices = choicesFor(item, deed);
  dialog.body.append(now, element("label", {}, text(`deed.${deed}.label`), input), suggested);
  /** @type {import("./api.js").Answer | null} */
  let current = null;

  async function readCurrent() {
    current = await find(logPath(item, path));
    const id = current?.body[member] ?? item[shown];
    if (id) await expectNames(id);
    const who = id && personText(id);
    fill(now, who ? text(`deed.${deed}.now`, { who }) : text(`deed.${deed}.nobody`));
    dialog.setAction(who ? text(`deed.${deed}.over`, { who }) : text(`deed.${deed}.do`));
    return who ?? text("deed.someone");
  }

  dialog.onSubmit = async () => {
    const who = input.value.trim();
    const [id, ...others] = meant(isPersonId(who) ? [] : (await choices).all, who);
    if (id === undefined || others.length) {
      dialog.complain(text(others.length ? "deed.person.several" : "deed.person.none", { who }));
      return false;
    }
    const send = () => write("PUT", logPath(item, path), { [member]: id }, current?.etag);
    try {
      await context.pending.during(item, { [shown]: id }, send);
    } catch (error) {
      if (!(error instanceof Refused && STALE.includes(error.status))) throw error;
      dialog.complain(text(`deed.${deed}.faster`, { who: await readCurrent() }));
      return false;
    }
    await expectNames(id);
    context.say(text(`deed.${deed}.done`, { name, who: personText(id) }));
    return true;
  };
  dialog.open();
  input.focus();
  await Promise.all([dialog.during(readCurrent), suggest(suggested, input, choices)]);
}

const personInput = () =>
  element("input", {
    name: "person",
    required: true,
    maxlength: 256,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    enterkeyhint: "send",
  });

/**
 * Who can be chosen: `first`, whom the roster names for this; `all`, with everybody else of the factory.
 *
 * @param {ShownItem} item
 * @param {"assign" | "escalate"} deed
 * @returns {Promise<Record<"first" | "all", Choice[]>>}
 */
async function choicesFor({ factoryId }, deed) {
  if (factoryId === null) return { first: [], all: [] };
  const roster = await find(pathOf`/factories/${factoryId}/roster`).catch(() => null);
  /** @type {string[]} */
  const ids = roster === null ? [] : deed === "assign" ? roster.body.operators : [roster.body.supervisor];
  const all = choicesOf(await peopleOf(factoryId, ids), ids);
  const first = all.filter(({ id }) => ids.includes(id));
  return { first: first.length ? first : all, all };
}

/**
 * Offer who works in the factory, and of more those whose names have what is typed.
 *
 * @param {HTMLElement} place
 * @param {HTMLInputElement} input
 * @param {ReturnType<typeof choicesFor>} choices
 */
async function suggest(place, input, choices) {
  const { first, all } = await choices;
  const choose = (/** @type {string} */ label) => {
    input.value = label;
    input.focus();
  };
  const draw = () => {
    const offered = input.value.trim() ? matching(all, input.value) : first;
    const buttons = offered
      .slice(0, SUGGESTED)
      .map(({ label }) => element("button", { type: "button", class: "quiet", onclick: () => choose(label) }, label));
    place.replaceChildren(...buttons);
  };
  input.addEventListener("input", draw);
  draw();
}

/**
 * @param {ShownItem} item
 * @param {string} what
 */
const logPath = (item, what) =>
  pathOf`/equipment/${item.equipmentId}/logs/${item.state ?? ""}/${item.stateTimestamp ?? ""}/${what}`;
