/** Views that few open, and that are loaded when they are: the board's first paint does not wait for them. */
import { element, fill } from "./dom.js";
import { text } from "./speech.js";

/** @typedef {import("./app.js").View} View */

/** Each sheet is asked for once. @type {Map<string, Promise<void>>} */
const sheets = new Map();

/**
 * @template Module
 * @param {{load: () => Promise<Module>, style: string, open: (module: Module) => View, className: string}} how  style:
 *   the file of its sheet.
 * @returns {View}
 */
export function lazily({ load, style, open, className }) {
  const state = element("p", { class: "empty", role: "status" }, text("lazy.loading"));
  const root = element("div", { class: "lazy" }, state);
  /** @type {View | null} */
  let view = null;
  let isClosed = false;
  const opened = async () => {
    const [module] = await Promise.all([load(), sheet(style)]);
    if (isClosed) return;
    view = open(module);
    root.replaceChildren(...view.elements);
    view.draw();
  };
  opened().catch((error) => {
    console.warn(error);
    fill(state, text("problem.unreachable"));
  });
  const close = () => {
    isClosed = true;
    view?.close();
  };
  return { elements: [root], className, draw: () => view?.draw(), close };
}

/** @param {string} file */
function sheet(file) {
  const known = sheets.get(file) ?? loaded(file);
  sheets.set(file, known);
  known.catch(() => sheets.delete(file)); // to be asked for again
  return known;
}

/** @param {string} file */
const loaded = (file) =>
  new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
    const link = element("link", { rel: "stylesheet", href: `page/${file}`, onload: () => resolve(), onerror: reject });
    document.head.append(link);
  });
