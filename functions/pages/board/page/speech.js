/** The page's texts and times, in the language of whoever looks. */
import { ageOf, isExact, roughAgeOf } from "./ages.js";
import { Refused, serverNowMs } from "./api.js";
import { DAY_MS, dayMs } from "./days.js";
import { element } from "./dom.js";
import { language, preferred, TEXTS } from "./language.js";
import { SignedOut } from "./session.js";
import { filler, localeOf } from "./texts.js";

/** @typedef {import("./text-en.js").Key} Key */

/** Dates and numbers are written as the browser's owner writes them, in the language of the page. */
const locale = localeOf(language, preferred);

const filled = filler(locale);

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
 * @param {Key} key
 * @param {import("./texts.js").Values} [values]
 */
export const text = (key, values) => filled(TEXTS.page[key], values);

/**
 * The function that says the texts of a page which is loaded late, as `text` says those of all others.
 *
 * @template {import("./text-en.js").Part} Part
 * @param {Part} part
 */
export const speakerOf = (part) => (/** @type {keyof import("./text-en.js").Texts[Part]} */ key, /** @type {import("./texts.js").Values} */ values = {}) =>
  filled(TEXTS[part][key], values);

/**
 * @param {string} key
 * @returns {key is Key}
 */
export const isText = (key) => key in TEXTS.page;

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
 * What an error means to a person, whatever the API says of it, which is English.
 *
 * @param {unknown} error
 */
export function problemText(error) {
  const { status } = /** @type {{status?: number}} */ (error);
  if (error instanceof SignedOut || status === 401) return text("problem.signedOut");
  if (status === undefined) return text("problem.unreachable");
  return text(status >= 500 ? "problem.server" : (PROBLEMS[status] ?? "problem.other"));
}

/** @type {{[status: number]: Key}} */
const PROBLEMS = {
  400: "problem.invalid",
  403: "problem.notAllowed",
  404: "problem.notFound",
  409: "problem.conflict",
  410: "problem.notFound",
  412: "problem.conflict",
  413: "problem.invalid",
  422: "problem.invalid",
  428: "problem.conflict",
  429: "problem.tooMany",
};

/**
 * The same, and what the API says of it, of each field, too: open to whoever reads its language.
 *
 * @param {unknown} error
 * @returns {(Node | string)[]}
 */
export function problemParts(error) {
  const said = error instanceof Refused ? [error.message, ...error.errors.map((one) => `${one.field}: ${one.detail}`)] : [];
  if (!said.length) return [problemText(error)];
  const lines = said.map((line) => element("p", { lang: "en" }, line));
  const open = language === "en";
  return [problemText(error), element("details", { class: "technical", open }, element("summary", {}, text("problem.technical")), ...lines)];
}
