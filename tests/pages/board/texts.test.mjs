/** The texts of the page: each language has all of them, in all of its forms, in words of its own. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import { filler, LANGUAGES, languageOf, localeOf } from "../../../functions/pages/board/page/texts.js";

const PAGE = new URL("../../../functions/pages/board/page/", import.meta.url);

/** @typedef {import("../../../functions/pages/board/page/texts.js").Words} Words */

/** @type {(language: string) => Promise<Record<string, Record<string, Words>>>} */
const textsOf = async (language) => (await import(new URL(`text-${language}.js`, PAGE).href)).TEXTS;

const ENGLISH = await textsOf("en");
const OTHERS = LANGUAGES.filter((language) => language !== "en");

/** What is the same in English and in another language: names, units, signs, and words that both have. */
const SAME = {
  all: ["Andon", "SMS", "min", "h", "#{id}", "{place} · Andon"],
  de: ["live", "Webhook", "webhook", "Material", "E-Mail"],
  es: ["d", "webhook", "Material", "Agenda", "{factory} · Agenda"],
};

/** A text in all of its forms. @param {Words} words */
const formsOf = (words) => (typeof words === "string" ? { other: words } : words);

/** @param {Words} words */
const holesIn = (words) => Object.values(formsOf(words)).map((form) => [...new Set([...form.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort());

/** The forms that numbers up to some thousands take; millions are of no count here. @param {string} language */
const formsFor = (language) => {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 5000 }, (_, count) => rules.select(count)))].sort();
};

test("there is a file for each language, and no other", () => {
  const files = readdirSync(PAGE).filter((name) => /^text-.*\.js$/.test(name));

  assert.deepEqual(files.sort(), LANGUAGES.map((language) => `text-${language}.js`).sort());
});

for (const language of LANGUAGES) {
  test(`${language} has every text, with the same holes in it, in every form that its numbers take`, async () => {
    const texts = await textsOf(language);

    assert.deepEqual(Object.keys(texts), Object.keys(ENGLISH));
    for (const [part, english] of Object.entries(ENGLISH)) {
      assert.deepEqual(Object.keys(texts[part] ?? {}).sort(), Object.keys(english).sort(), part);
      for (const [key, words] of Object.entries(english)) {
        const own = texts[part]?.[key] ?? "";
        assert.equal(typeof own, typeof words, `${key}: with forms in one language, and without in another`);
        if (typeof own !== "string") assert.deepEqual(Object.keys(own).sort(), formsFor(language), key);
        const expected = new Set(holesIn(words).flat());
        assert.deepEqual(new Set(holesIn(own).flat()), expected, key);
        for (const form of Object.values(formsOf(own))) assert.ok(form.trim(), `${key} is empty`);
        if (typeof own !== "string") assert.ok(expected.has("count"), `${key}: forms go by a count`);
      }
    }
  });
}

for (const language of OTHERS) {
  test(`${language} says nothing in English`, async () => {
    const [texts, rest] = [await textsOf(language), [...SAME.all, ...(SAME[/** @type {"de" | "es"} */ (language)] ?? [])]];
    const isWordless = (/** @type {string} */ form) => !/\p{L}/u.test(form.replaceAll(/\{\w+\}/g, ""));
    const same = Object.entries(ENGLISH).flatMap(([part, english]) =>
      Object.entries(english).flatMap(([key, words]) => {
        const there = new Set(Object.values(formsOf(words)));
        return Object.values(formsOf(texts[part]?.[key] ?? "")).filter((form) => there.has(form) && !isWordless(form) && !rest.includes(form)).map((form) => `${part} ${key}: ${form}`);
      }),
    );

    assert.deepEqual(same, []);
  });
}

test("the address chooses the language, then the browser, then English", () => {
  assert.equal(languageOf("?lang=de", ["en-GB"]), "de");
  assert.equal(languageOf("", ["fr", "de-AT"]), "de");
  assert.equal(languageOf("?lang=xx", ["fr"]), "en");
  for (const tag of ["es", "es-MX", "es-419", "ES", "es_MX"]) assert.equal(languageOf(`?lang=${tag}`, ["en"]), "es");
  assert.equal(languageOf("", ["es-419"]), "es");
  assert.equal(languageOf("", ["est", "den"]), "en", "another language may begin with the same letters");
});

test("dates and numbers are written as in the country of whoever looks", () => {
  assert.equal(localeOf("en", ["de-AT", "en-GB", "en-US"]), "en-GB");
  assert.equal(localeOf("es", ["en-GB", "es-MX"]), "es-MX");
  assert.equal(localeOf("en", ["en-US@posix"]), "en");
  assert.equal(filler("es-MX")("{count} máquinas", { count: 12_345 }), "12,345 máquinas");
  assert.equal(filler("de")("{count} Maschinen", { count: 12_345 }), "12.345 Maschinen");
});

test("a number chooses the form, and nothing in a value is filled in", () => {
  const words = { one: "{count} máquina", other: "{count} máquinas" };

  assert.deepEqual([0, 1, 2, 1_000_000].map((count) => filler("es-MX")(words, { count })), ["0 máquinas", "1 máquina", "2 máquinas", "1,000,000 máquinas"]);
  assert.equal(filler("de")("{least} – {most}", { least: "2 min", most: "{least}" }), "2 min – {least}");
  assert.equal(filler("en")("{nothing}"), "{nothing}");
});
