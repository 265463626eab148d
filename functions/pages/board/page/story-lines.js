/**
 * The story of an episode, for people. Pure.
 *
 * @typedef {object} Entry
 * @property {string} type
 * @property {string} at
 * @property {string} id
 * @property {string} timestamp
 * @property {"rule"} [by]
 * @property {string} [rule]
 * @property {string} [state]
 * @property {string} [detail]
 * @property {string} [operator]
 * @property {string} [supervisor]
 * @property {string} [acknowledgedBy]
 * @property {string} [since]
 * @property {string} [reason]
 * @property {string} [person]
 * @property {string} [chain]
 *
 * @typedef {{startedAt: string, endedAt: string | null, story: Entry[], partial?: boolean}} Episode
 * @typedef {{entry: Entry, times: number, lastAt: string}} Line  An entry, and how often the same came until when.
 * @typedef {{state: string, fromMs: number, toMs: number}} Run  A state, for as long as it was reported.
 */

const SAID = /** @type {const} */ (["type", "state", "detail", "operator", "supervisor", "rule", "acknowledgedBy", "reason", "person", "chain"]);

const REPORT = "state-reported";

/** Members that are ids of people. */
export const PERSONS = /** @type {const} */ (["operator", "supervisor", "acknowledgedBy", "person"]);

/**
 * One line for what came again and again: a machine in trouble repeats itself every few minutes, and so do the rules
 * that look at it.
 *
 * @param {readonly Entry[]} story
 * @returns {Line[]}
 */
export function linesIn(story) {
  /** @type {Line[]} */
  const lines = [];
  /** @type {Map<string, Line>} */
  let same = new Map();
  let state = "";
  for (const entry of story) {
    if (entry.type === REPORT && entry.state !== state) {
      same = new Map();
      state = entry.state ?? "";
    }
    const key = JSON.stringify(SAID.map((name) => (name === "state" && entry.type !== REPORT ? null : entry[name])));
    const known = same.get(key);
    if (known) Object.assign(known, { times: known.times + 1, lastAt: entry.at });
    else {
      const line = { entry, times: 1, lastAt: entry.at };
      same.set(key, line);
      lines.push(line);
    }
  }
  return lines;
}

/**
 * What a machine was in, and from when to when, oldest first; an open episode lasts until now.
 *
 * @param {readonly Episode[]} episodes
 * @param {number} nowMs
 * @returns {Run[]}
 */
export function runsIn(episodes, nowMs) {
  return [...episodes].reverse().flatMap((episode) => {
    const endMs = episode.endedAt === null ? nowMs : Date.parse(episode.endedAt);
    /** @type {Run[]} */
    const runs = [];
    for (const { type, state, at } of episode.story) {
      if (type !== REPORT || state === undefined || Date.parse(at) >= endMs) continue;
      const last = runs.at(-1);
      if (last?.state === state) continue;
      if (last) last.toMs = Date.parse(at);
      runs.push({ state, fromMs: Date.parse(at), toMs: endMs });
    }
    return runs;
  });
}

/**
 * The text of an entry: its key, and its values.
 *
 * @param {Entry} entry
 */
export function wordsOf(entry) {
  const variant =
    (entry.by === "rule" && entry.rule && ".rule") ||
    (entry.type === REPORT && entry.detail && ".detail") ||
    "";
  const key = `entry.${entry.type}`;
  return { keys: [`${key}${variant}`, key, "entry.other"], values: entry };
}
