/** The shapes of states and notes. Each is told from the others without its colour. */
import { svg } from "./dom.js";

const WRENCH = ["M14.500 9.500 4.500 19.500", "M20.500 7.500a5.200 5.200 0 1 1-4-4l-2.500 3 3 3.300z"];
const EYE = ["M2 12q10-13 20 0q-10 13-20 0z", "M12 9a3 3 0 1 1 0 6a3 3 0 1 1 0-6"];

/** Strokes in a square of 24. */
const PATHS = {
  error: ["M8 2.5h8l5.5 5.5v8l-5.5 5.5H8L2.5 16V8z", "M8.5 8.500l7 7M15.5 8.500l-7 7"],
  warning: ["M12 3 2 21h20z", "M12 9.500v5.500M12 17.500v1"],
  silent: ["M12 2.500a9.5 9.5 0 1 1 0 19a9.5 9.5 0 1 1 0-19", "M9 9.500a3 3 0 1 1 4.2 2.700q-1.2.6-1.2 2.300M12 17v.8"],
  unknown: ["M12 2.500a9.5 9.5 0 1 1 0 19a9.5 9.5 0 1 1 0-19", "M8 12h8"],
  overdue: ["M12 2.500a9.500 9.500 0 1 1 0 19a9.500 9.500 0 1 1 0-19", "M12 6.500V12l4.500 3"],
  maintenance: WRENCH,
  planned: ["M4 5.500h16v15H4z", "M4 10h16M8.500 3v4.500M15.500 3v4.500"],
  partly: ["M12 2.500a9.500 9.500 0 1 1 0 19a9.500 9.500 0 1 1 0-19", "M12 2.500v19"],
  skipped: ["M12 2.500a9.500 9.500 0 1 1 0 19a9.500 9.500 0 1 1 0-19", "M5.500 18.500 18.500 5.500"],
  call: ["M5 17.5h14l-2-3V10a5 5 0 0 0-10 0v4.500z", "M10 20.500h4M2.500 8q.5-3 2.500-4.500M21.500 8q-.5-3-2.500-4.500"],
  box: ["M3 8l9-4.500 9 4.500v8l-9 4.500-9-4.500z", "M3 8l9 4.500L21 8M12 12.500v8"],
  shield: ["M12 2.500l8 3v6q0 7-8 10q-8-3-8-10v-6z", "M12 8v8M8 12h8"],
  wrench: WRENCH,
  eye: EYE,
  drop: ["M12 2.500q7 8 7 12.500a7 7 0 0 1-14 0q0-4.500 7-12.500z"],
  bolt: ["M13.500 2.500 5 13.500h6l-1.500 8L19 10.500h-6.500z"],
  flame: ["M12 2.500q1 4 4 7t3 6a7 6 0 0 1-14 0q0-3 2.500-5 .5 2 2 3Q9 8 12 2.500z"],
  truck: ["M2 6h12v11H2zM14 10h4.500l3.500 3.500V17h-8", "M6 17a1.800 1.800 0 1 0 .1 0M17.500 17a1.800 1.800 0 1 0 .1 0"],
  running: ["M4 12.500l5.5 5.500L20.5 6.5"],
  unseen: ["M2 12q10-13 20 0q-10 13-20 0z", "M4 21 20 3"],
  disconnected: ["M3 12h6M15 12h6M9 7.500v9M15 7.500v9", "M12.500 3 11.500 21"],
  seen: EYE,
  person: ["M12 3a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9", "M3.5 21.500q0-7 8.5-7t8.5 7"],
  nobody: ["M12 3a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9", "M3.5 21.500q0-7 8.5-7t8.5 7", "M3 3 21 21"],
  told: ["M3 5.500h18v13H3z", "M3 6.500l9 6.500 9-6.500"],
  escalated: ["M12 20.500V4M5.5 10.5 12 4l6.5 6.5"],
  risk: ["M5 5l7 7-7 7M12 5l7 7-7 7"],
  audit: ["M6 3h12v18H6z", "M9 8h6M9 12h6M9 16h3"],
  back: ["M20 12H4M10.5 5.5 4 12l6.5 6.5"],
  anomaly: ["M2 13h4l3-8 5 14 3-6h5"],
};

/** @typedef {keyof typeof PATHS} Icon */

/** Those that a catalog may give its categories. @type {readonly Icon[]} */
const OF_CATEGORIES = ["box", "shield", "wrench", "eye", "drop", "bolt", "flame", "truck"];

/**
 * The icon that a catalog names; a bell, if the page has none of this name.
 *
 * @param {string | undefined} name
 * @returns {Icon}
 */
export const iconNamed = (name) => OF_CATEGORIES.find((one) => one === name) ?? "call";

/**
 * @param {Icon} name
 */
export function icon(name) {
  const paths = PATHS[name].map((d) => svg("path", { d }));
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", "data-icon": name }, ...paths);
}
