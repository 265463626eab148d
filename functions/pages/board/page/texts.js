/**
 * The languages of the page, and how their texts are filled in. Pure.
 *
 * Another language is one more file, `text-<tag>.js`, and its tag here; all tests of texts ask it for the same.
 */

/** Tags of two letters, each of a file. */
export const LANGUAGES = /** @type {const} */ (["en", "de", "es"]);

/** @typedef {(typeof LANGUAGES)[number]} Language */

/**
 * A text, or one for each form that a language has for the number `count`.
 *
 * @typedef {string | ({other: string} & {[form in Intl.LDMLPluralRule]?: string})} Words
 *
 * @typedef {Record<string, string | number>} Values
 */

/**
 * The language of `?lang=`, else the first one of the browser's that the page speaks, else English.
 *
 * @param {string} search
 * @param {readonly string[]} preferred
 * @returns {Language}
 */
export function languageOf(search, preferred) {
  const asked = [new URLSearchParams(search).get("lang") ?? "", ...preferred].map((tag) => tag.split(/[-_]/)[0]?.toLowerCase());
  return asked.flatMap((tag) => LANGUAGES.filter((one) => one === tag))[0] ?? "en";
}

/**
 * The locale in which dates and numbers are written: of the address, as `?lang=es-MX`, else the browser's own of that
 * language, with its country, if it is one.
 *
 * @param {Language} language
 * @param {readonly string[]} preferred
 * @returns {string}
 */
export const localeOf = (language, preferred) =>
  preferred.find((tag) => tag.split("-")[0]?.toLowerCase() === language && isLocale(tag)) ?? language;

/** @param {string} tag such as `en-US@posix`, which a browser says where the system's locale is C */
function isLocale(tag) {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * The function that fills in the texts of a language; numbers are written as its locale writes them.
 *
 * @param {string} locale
 * @returns {(words: Words, values?: Values) => string}
 */
export function filler(locale) {
  const [forms, numbers] = [new Intl.PluralRules(locale), new Intl.NumberFormat(locale)];
  const shown = (/** @type {string | number} */ value) => (typeof value === "number" ? numbers.format(value) : value);
  return (words, values = {}) => {
    const form = typeof words === "string" ? words : (words[forms.select(Number(values["count"]))] ?? words.other);
    return form.replace(/\{(\w+)\}/g, (hole, name) => (values[name] === undefined ? hole : shown(values[name])));
  };
}
