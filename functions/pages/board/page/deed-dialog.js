/** The frame of every dialog in which a person does something. */
import { element, fill } from "./dom.js";
import { problemPlace } from "./during.js";
import { problemParts, text } from "./speech.js";

/** A form in a dialog, which stays open until what it asks for was done. */
export class DeedDialog {
  /** Do it; false: it was not done, and the dialog says why. @type {() => Promise<boolean>} */
  onSubmit = async () => true;
  body = element("div", { class: "dialog-body" });
  #title = element("h2", { id: "deed" });
  #problem = problemPlace();
  #action = element("button", { type: "submit", class: "main" });
  #cancel = element("button", { type: "button", onclick: () => this.#dialog.close() }, text("deed.cancel"));
  #form = element("form", { onsubmit: (/** @type {Event} */ event) => void this.#submit(event) });
  #dialog = element("dialog", { "aria-labelledby": "deed", onclose: () => this.#dialog.remove() });
  #words = "";

  /**
   * @param {string} title
   * @param {string | null} action  null: what does it is in the body.
   */
  constructor(title, action) {
    const buttons = element("div", { class: "dialog-buttons" }, this.#cancel, this.#action);
    this.setTitle(title);
    this.#form.append(this.#title, this.body, this.#problem, buttons);
    this.#dialog.append(this.#form);
    this.#action.hidden = action === null;
    this.setAction(action ?? "");
  }

  open() {
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }

  /** @param {string} words */
  setTitle(words) {
    fill(this.#title, words);
  }

  /** @param {string} words */
  setAction(words) {
    this.#words = words;
    fill(this.#action, words);
  }

  /** @param {...(Node | string)} said */
  complain(...said) {
    this.#problem.hidden = false;
    fill(this.#problem, ...said);
  }

  /**
   * Wait for something; if it fails, say why.
   *
   * @template Answer
   * @param {() => Promise<Answer>} work
   * @returns {Promise<Answer | null>}
   */
  async during(work) {
    try {
      return await work();
    } catch (error) {
      this.complain(...problemParts(error));
      return null;
    }
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    if (this.#action.disabled) return;
    this.#problem.hidden = true;
    this.#action.disabled = true;
    fill(this.#action, text("deed.sending"));
    const isDone = await this.during(() => this.onSubmit());
    this.#action.disabled = false;
    fill(this.#action, this.#words);
    if (isDone) this.#dialog.close();
  }
}
