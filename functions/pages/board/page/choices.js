/**
 * Who can be chosen, by name. Pure.
 *
 * @typedef {{id: string, name: string | null}} Person
 * @typedef {Person & {label: string}} Choice
 */
import { isPersonId } from "./people.js";

/** @param {string} words */
const plain = (words) => words.trim().normalize("NFC").toLowerCase();

/**
 * People with labels of which each means one of them: the name, and the id where the name alone is not enough. It is
 * enough for whoever alone has it among those who come first: somebody may have a badge, and a subject beside it.
 *
 * @param {readonly Person[]} people
 * @param {readonly string[]} first  Ids.
 * @returns {Choice[]}
 */
export function choicesOf(people, first) {
  /** @param {Person} person */
  const isEnough = ({ id, name }) => {
    const others = people.filter((one) => one.id !== id && plain(one.name ?? "") === plain(name ?? ""));
    return !isPersonId(plain(name ?? "")) && others.every((one) => first.includes(id) && !first.includes(one.id));
  };
  return people.map((one) => {
    const { id, name } = one;
    return { id, name, label: name === null ? id : isEnough(one) ? name : `${name} (${id})` };
  });
}

/**
 * Who is meant by what was typed: a label, an id, or a name; several, if several have that name.
 *
 * @param {readonly Choice[]} choices
 * @param {string} typed
 * @returns {string[]}
 */
export function meant(choices, typed) {
  const words = plain(typed);
  if (isPersonId(words)) return [words];
  const labelled = choices.filter(({ label }) => plain(label) === words);
  const found = labelled.length ? labelled : choices.filter(({ name }) => plain(name ?? "") === words);
  return found.map(({ id }) => id);
}

/**
 * Who may be meant by the beginning of what one types.
 *
 * @param {readonly Choice[]} choices
 * @param {string} typed
 */
export const matching = (choices, typed) => choices.filter(({ label }) => plain(label).includes(plain(typed)));
