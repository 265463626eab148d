/** The card of the page "Me" about the language in which messages come. */
import { withLanguage } from "./contact.js";
import { element, isNew } from "./dom.js";
import { during, problemPlace } from "./during.js";
import { language } from "./language.js";
import { speakerOf } from "./speech.js";
import { LANGUAGES } from "./texts.js";

const say = speakerOf("me");

/**
 * A language as those call it who speak it, `Español`: who seeks theirs may read no other.
 *
 * @param {string} tag
 */
function nameOf(tag) {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

/**
 * @param {import("./contact-file.js").ContactFile} file
 * @param {(words: string) => void} tell
 */
export function languageCard(file, tell) {
  const problem = problemPlace();
  const choice = element("select", { name: "language", id: "language-of-messages" });
  const button = element("button", { type: "submit" }, say("save"));
  const form = element("form", { class: "address" }, element("label", { for: choice.id }, say("language.label")), choice, button);
  const section = element(
    "section",
    { class: "channel", "aria-labelledby": "channel-language" },
    element("h2", { id: "channel-language" }, say("language")),
    element("p", {}, say("language.explain")),
    form,
    problem,
  );

  async function save() {
    const isKept = await file.change((contact) => withLanguage(contact, choice.value));
    draw();
    tell(say(isKept ? "saved" : "changed"));
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void during(problem, save, button);
  });

  function draw() {
    const known = file.contact.language ?? language;
    if (!isNew(form, known)) return; // what was chosen and not saved stays
    const tags = new Set([...LANGUAGES, known]);
    choice.replaceChildren(...[...tags].map((tag) => element("option", { value: tag, lang: tag }, nameOf(tag))));
    choice.value = known;
  }
  return { section, draw };
}
