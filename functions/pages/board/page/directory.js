/** What people are called, for whoever looks at the page. Everything else on it has their ids alone. */
import { ask, askAll, pathOf } from "./api.js";
import { People, shortOf } from "./people.js";
import { who } from "./session.js";
import { text } from "./speech.js";

const PAGE = 1_000; // andon.http.page.MAX_LIMIT
const SLOW_MS = 2000;

const people = new People({
  read: async (ids) => (await ask(`/people?ids=${ids.join(",")}`)).body.items,
  nowMs: () => performance.now(),
  chance: Math.random,
});

/**
 * What somebody is called: by their name; by their id until it is known, or if it cannot be looked up.
 *
 * @param {string} id
 */
export function personText(id) {
  const known = people.find(id);
  if (known?.name) return known.name;
  const me = known?.isErased ? null : who();
  if (me?.subject === id) return me.name; // as they sign in
  return known === undefined ? id : text("person.erased", { id: shortOf(id) });
}

/** Ask about those who were shown since the last time, if need be; whether something was learned. */
export const askForNames = () => people.ask();

/**
 * Learn these names before they are shown. A directory that is slow holds nobody up for long: ids do, too.
 *
 * @param {...string} ids
 */
export const expectNames = (...ids) =>
  Promise.race([people.expect(ids), new Promise((resolve) => setTimeout(resolve, SLOW_MS))]);

/**
 * Return who can be chosen, in the order of `ids`, with the other people of the factory behind them; nobody erased.
 *
 * @param {string} factoryId
 * @param {readonly string[]} ids
 * @returns {Promise<{id: string, name: string | null}[]>}
 */
export async function peopleOf(factoryId, ids) {
  /** @type {import("./people.js").Person[]} */
  const found = await askAll(`${pathOf`/factories/${factoryId}/people`}?limit=${PAGE}`).catch(() => []);
  people.learn([], found);
  await people.expect(ids);
  return [...new Set([...ids, ...found.map((one) => one.id)])]
    .map((id) => ({ id, known: people.find(id) }))
    .filter(({ known }) => !known?.isErased)
    .map(({ id, known }) => ({ id, name: known?.name ?? null }));
}
