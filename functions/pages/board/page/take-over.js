/** Somebody takes over a role for a while: a tap for the role, one for the person, one for the time. */
import { get, pathOf, write } from "./api.js";
import { isStale } from "./call-dialogs.js";
import { choicesOf } from "./choices.js";
import { DeedDialog } from "./deed-dialog.js";
import { peopleOf } from "./directory.js";
import { element } from "./dom.js";
import { DAY, spansOf, takenOver, wallOf, WEEK, without } from "./duty-times.js";
import { dayText, speakerOf } from "./speech.js";

/**
 * @typedef {import("./duty-times.js").Roster} Roster
 * @typedef {import("./duty-times.js").Role} Role
 * @typedef {import("./duty-times.js").Override} Override
 */

const HOURS = [4, 8];

const say = speakerOf("duty");

/** A factory's roster, as it was read, and as it is written again. */
export class RosterFile {
  /** @type {Roster | null} */
  roster = null;
  /** @type {string | null} */
  #etag = null;

  /** @param {string} factoryId */
  constructor(factoryId) {
    this.factoryId = factoryId;
    this.path = pathOf`/factories/${factoryId}/roster`;
  }

  async read() {
    const { body, etag } = await get(this.path);
    [this.roster, this.#etag] = [body, etag];
  }

  /**
   * Write it with other overrides; false: somebody else was faster, and it was read again.
   *
   * @param {(overrides: readonly Override[]) => Override[]} change
   */
  async change(change) {
    const { factoryId: _, overrides = [], ...others } = /** @type {Roster & {factoryId?: string}} */ (this.roster);
    const changed = change(overrides);
    try {
      await write("PUT", this.path, { ...others, ...(changed.length && { overrides: changed }) }, this.#etag);
    } catch (error) {
      if (!isStale(error)) throw error;
      await this.read();
      return false;
    }
    await this.read();
    return true;
  }
}

/**
 * A time of the factory's clock, with its day unless that is today.
 *
 * @param {string} wall
 * @param {number} now
 */
export const wallText = (wall, now) => (wall.slice(0, 10) === wallOf(now).slice(0, 10) ? wall.slice(11) : `${dayText(wall.slice(0, 10))} ${wall.slice(11)}`);

/**
 * @param {Role} role
 * @param {RosterFile} file
 * @param {{now: () => number, done: (words: string) => void}} how  now: the minute that the factory's clock shows.
 */
export async function openTakeOver(role, file, { now, done }) {
  const name = say(`role.${role}`);
  const dialog = new DeedDialog(say("take.who", { role: name }), null);
  const tiles = element("div", { class: "call-tiles" });
  dialog.body.append(tiles);
  let submit = async () => false;
  dialog.onSubmit = () => submit();

  /** @type {(person: import("./choices.js").Choice, to: string) => () => Promise<boolean>} */
  const taking = ({ id, label }, to) => async () => {
    const taken = { from: wallOf(now()), to, role, person: id };
    if (!(await file.change((overrides) => takenOver(overrides, taken, now())))) {
      dialog.complain(say("take.changed"));
      return false;
    }
    done(say("take.done", { role: name, name: label, to: wallText(to, now()) }));
    return true;
  };

  /** @param {import("./choices.js").Choice} person */
  function askUntil(person) {
    const choices = untilOf(/** @type {Roster} */ (file.roster), now());
    dialog.setTitle(say("take.until", { name: person.label }));
    tiles.replaceChildren(
      ...choices.map(([words, to]) => element("button", { class: "call-tile", onclick: () => (submit = taking(person, to)) }, words)),
    );
    tiles.querySelector("button")?.focus();
  }

  dialog.open();
  const roster = /** @type {Roster} */ (file.roster);
  const named = [...roster.operators, ...(roster.shifts ?? []).flatMap((shift) => shift.operators), roster.supervisor, roster.manager ?? roster.supervisor];
  const all = choicesOf(await peopleOf(file.factoryId, [...new Set(named)]), named);
  const names = new Set(all.filter(({ id }) => named.includes(id)).map((one) => one.name));
  // Somebody on the roster may have another id in the directory, by which no chain asks.
  const people = all.filter((one) => named.includes(one.id) || !names.has(one.name));
  tiles.replaceChildren(
    ...people.map((person) => element("button", { type: "button", class: "call-tile", onclick: () => askUntil(person) }, person.label)),
  );
}

/**
 * @param {Override} override
 * @param {RosterFile} file
 * @param {number} now
 */
export const endOverride = ({ role, to }, file, now) =>
  file.change((overrides) => without(overrides, { role, from: wallOf(now), to }, now));

/**
 * The times until which one may take over: the end of the shift or gap, if it is near, and some hours.
 *
 * @param {Roster} roster
 * @param {number} now
 * @returns {[words: string, to: string][]}
 */
function untilOf(roster, now) {
  const { overrides: _, ...byShift } = roster;
  const end = spansOf(byShift, now, now + WEEK)[0]?.to ?? now + WEEK;
  return [
    .../** @type {[string, string][]} */ (end <= now + DAY ? [[say("take.shift", { time: wallText(wallOf(end), now) }), wallOf(end)]] : []),
    ...HOURS.map((hours) => /** @type {[string, string]} */ ([say("take.hours", { count: hours }), wallOf(now + hours * 60)])),
    [say("take.day"), wallOf(now + DAY)],
  ];
}
