/** What one sees who is not signed in. */
import { element } from "./dom.js";
import { setTitle } from "./header.js";
import { signIn } from "./session.js";
import { text } from "./speech.js";

/**
 * @param {string | null} why  Why one has to sign in again, or could not.
 * @returns {import("./app.js").View}
 */
export function openSignIn(why) {
  setTitle(text("app.name"));
  const section = element(
    "section",
    { class: "sign-in" },
    element("h2", {}, text("signIn.title")),
    why !== null && element("p", { class: "problem", role: "alert" }, why),
    element("button", { type: "button", class: "main", onclick: () => void signIn() }, text("signIn.button")),
    element("p", { class: "wall" }, text("signIn.wall.explain")),
    element("button", { type: "button", onclick: () => void signIn({ wall: true }) }, text("signIn.wall")),
  );
  return { elements: [section], className: "view-sign-in", draw: () => {}, close: () => {} };
}
