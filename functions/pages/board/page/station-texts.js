/** The texts of the page of a station, by language. */

const EN = {
  "loading": "Reading how this machine stands …",
  "unknown": "Nothing is known of {id}. A station signs in by the id of its machine.",
  "calls": "Called for",
  "calls.none": "Nothing is called for.",
  "taken": "Somebody is coming",
  "behind": "This is how it stood at {time}: {problem}",
};

/** @typedef {keyof typeof EN} StationKey */

/** @type {Record<StationKey, string>} */
const DE = {
  "loading": "Wie diese Maschine steht, wird gelesen …",
  "unknown": "Von {id} ist nichts bekannt. Eine Station meldet sich mit der Kennung ihrer Maschine an.",
  "calls": "Gerufen",
  "calls.none": "Nichts ist gerufen.",
  "taken": "Jemand kommt",
  "behind": "So stand es um {time}: {problem}",
};

export const TEXTS = { en: EN, de: DE };
