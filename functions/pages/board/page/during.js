/** Work that a button begins: the button is off meanwhile, and what fails is said beside it. */
import { element, fill } from "./dom.js";
import { problemParts } from "./speech.js";

/** A place for what a piece of work failed at. */
export const problemPlace = () => element("div", { class: "problem", role: "alert", hidden: true });

/**
 * @param {HTMLElement} problem
 * @param {() => Promise<unknown>} work
 * @param {HTMLButtonElement | null} [button]
 */
export async function during(problem, work, button) {
  problem.hidden = true;
  if (button) button.disabled = true;
  try {
    await work();
  } catch (error) {
    problem.hidden = false;
    fill(problem, ...problemParts(error));
  }
  if (button) button.disabled = false;
}
