/** A cause to choose, and a note to write. */
import { element } from "./dom.js";
import { text } from "./speech.js";

export class CauseFields {
  #causes = element("fieldset", { hidden: true }, element("legend", {}, text("call.close.cause")));
  #note = element("input", { name: "note", maxlength: 1000, autocomplete: "off" });
  elements = [this.#causes, element("label", {}, text("call.close.note"), this.#note)];

  /**
   * @param {readonly {id: string, name: string}[]} causes
   * @param {boolean} required
   */
  offer(causes, required) {
    for (const { id, name } of causes) {
      this.#causes.append(
        element("label", { class: "choice-of cause" }, element("input", { type: "radio", name: "cause", value: id, required }), name),
      );
    }
    this.#causes.hidden = !causes.length;
  }

  /** What was chosen and written, as a body says it. */
  get said() {
    const [cause, note] = [this.#causes.querySelector("input:checked")?.getAttribute("value") ?? "", this.#note.value.trim()];
    return { ...(cause && { cause }), ...(note && { note }) };
  }
}
