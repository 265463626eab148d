/**
 * The language of whoever looks, and its texts.
 *
 * `index.html` starts this module by itself, before the page: so the one file of texts comes beside all others, and not
 * after them. What `?lang=` chose counts for a tab until it is closed: the way through the sign-in page drops it.
 */
import { languageOf } from "./texts.js";

const KEPT = "andon.lang";

const chosen = new URLSearchParams(location.search).get("lang") ?? sessionStorage.getItem(KEPT) ?? "";
if (chosen) sessionStorage.setItem(KEPT, chosen);

/** The tags that are asked for, the most wanted first. */
export const preferred = [...(chosen ? [chosen] : []), ...navigator.languages];

export const language = languageOf("", preferred);

document.documentElement.lang = language;

/** @type {import("./text-en.js").Texts} */
export const TEXTS = (await import(`./text-${language}.js`)).TEXTS;
