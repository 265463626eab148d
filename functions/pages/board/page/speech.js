/** The page's texts and times, in the language of whoever looks. */
import { ageOf, isExact, roughAgeOf } from "./ages.js";
import { Refused, serverNowMs } from "./api.js";
import { DAY_MS, dayMs } from "./days.js";
import { SignedOut } from "./session.js";
import { filled, LANGUAGES, languageOf, localeOf, textIn } from "./texts.js";

export const language = languageOf(location.search, navigator.languages);

/** A date is written as the browser's owner writes it, in the language of the page. */
const locale = localeOf(language, navigator.languages);

const clockFormat = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const secondsFormat = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const dayFormat = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/**
 * @param {import("./texts.js").Key} key
 * @param {Record<string, string | number>} [values]
 */
export const text = (key, values) => textIn(language, key, values);

/**
 * The function that says the texts of a page which is loaded late, as `text` says those of all others.
 *
 * @template {string} Key
 * @param {Record<import("./texts.js").Language, Record<Key, string>>} texts
 */
export const speakerOf = (texts) => (/** @type {Key} */ key, /** @type {Record<string, string | number>} */ values = {}) =>
  filled(texts[language][key], values);

/**
 * @param {string} key
 * @returns {key is import("./texts.js").Key}
 */
export const isText = (key) => key in LANGUAGES.en;

/** @param {number} ms */
export const clock = (ms) => clockFormat.format(ms);

/** @param {number} ms */
export const clockWithSeconds = (ms) => secondsFormat.format(ms);

const weekdayFormat = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });

/**
 * A day of orders, which are UTC: `Mon 30 Nov`.
 *
 * @param {string} day
 */
export const dayText = (day) => weekdayFormat.format(dayMs(day));

/**
 * A time of day, with the day unless it is within a day of now.
 *
 * @param {number | string} time
 */
export function timeOf(time) {
  const ms = typeof time === "string" ? Date.parse(time) : time;
  return Math.abs(serverNowMs() - ms) < DAY_MS / 2 ? clock(ms) : dayFormat.format(ms);
}

const units = { now: text("units.now"), min: text("units.min"), h: text("units.h"), d: text("units.d") };

/** @param {number} ageMs */
export const age = (ageMs) => ageOf(ageMs, units);

/** @param {number} ageMs */
export const roughAge = (ageMs) => roughAgeOf(ageMs, units);

/**
 * How long a state lasts: `7 h 04`, or what is known of it, `2 min – 5 h 43`.
 *
 * @param {import("./ages.js").Since} since
 */
export function lasting(since) {
  const nowMs = serverNowMs();
  if (isExact(since, nowMs)) return age(nowMs - since.toMs);
  if (since.fromMs === null) return text("age.atLeast", { age: age(nowMs - since.toMs) });
  return text("age.range", { least: age(nowMs - since.toMs), most: age(nowMs - since.fromMs) });
}

/**
 * The same as a sentence: `since between 11:02 and 16:43`.
 *
 * @param {import("./ages.js").Since} since
 */
export function sinceText(since) {
  if (isExact(since, serverNowMs())) return text("since.exact", { time: timeOf(since.toMs) });
  if (since.fromMs === null) return text("since.atLatest", { to: timeOf(since.toMs) });
  return text("since.between", { from: timeOf(since.fromMs), to: timeOf(since.toMs) });
}

/**
 * What an error means to a person.
 *
 * @param {unknown} error
 */
export function problemText(error) {
  const { status, message } = /** @type {{status?: number, message?: string}} */ (error);
  if (error instanceof SignedOut || status === 401) return text("problem.signedOut");
  if (status === 403) return text("problem.notAllowed");
  if (status === undefined) return text("problem.unreachable");
  return text("problem.other", { detail: message ?? "" });
}

/**
 * The same, with what is wrong with each field.
 *
 * @param {unknown} error
 */
export const fullProblemText = (error) =>
  [problemText(error), ...(error instanceof Refused ? error.errors.map((one) => one.detail) : [])].join(" ");
