/** What stands above every view: where one is, how the connection is, what time it is, who is signed in. */
import { serverNowMs } from "./api.js";
import { element, fill, setAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { fragmentOf } from "./places.js";
import { isStation, may } from "./roles.js";
import { clock, clockWithSeconds, text } from "./speech.js";
import { KINDS } from "./standing.js";

/**
 * @typedef {import("./following.js").Following} Following
 * @typedef {import("./roles.js").Who} Who
 */

/** Kinds that are counted only where there are some. @type {readonly import("./standing.js").Kind[]} */
const SELDOM = ["overdue", "unknown", "maintenance"];

const title = element("h1", {});
const counts = element("ul", { class: "counts" });
const connection = element("p", { class: "connection", role: "status" });
const time = element("time", { class: "clock" });
const navigation = element("nav", {});
const account = element("div", { class: "account" });
const banner = element("p", { class: "banner", role: "alert", hidden: true });

export const header = element("header", {}, navigation, title, counts, connection, time, account);

export { banner };

/** @param {string} words */
export function setTitle(words) {
  fill(title, words);
  document.title = words === text("app.name") ? words : text("board.title", { place: words });
}

/**
 * @param {Who | null} who
 * @param {{board: import("./places.js").Place, current: string, onSignOut: () => void}} how
 */
export function setAccount(who, { board, current, onSignOut }) {
  const isBack = ["machine", "agenda", "duty", "me"].includes(current);
  const boardLink = element(
    "a",
    { href: fragmentOf(board), "aria-label": isBack ? text("nav.back") : null, "aria-current": current === "board" && "page" },
    isBack && icon("back"),
    text("nav.board"),
  );
  const faults = element("a", { href: "#/faults", "aria-current": current === "faults" && "page" }, text("nav.faults"));
  navigation.replaceChildren(...(who === null || isStation(who) || (current === "board" && !may(who, "faults")) ? [] : [boardLink]));
  if (who !== null && !isStation(who) && board.view === "board" && board.factoryId !== undefined) {
    const { company, factoryId } = board;
    for (const view of /** @type {const} */ (["agenda", "duty"])) {
      const href = fragmentOf({ view, company, factoryId });
      navigation.append(element("a", { href, "aria-current": current === view && "page" }, text(`nav.${view}`)));
    }
  }
  if (may(who, "faults")) navigation.append(faults);
  navigation.hidden = !navigation.childElementCount;
  setAttribute(navigation, "aria-label", text("app.name"));
  account.replaceChildren();
  if (who === null) return;
  const signOut = element("button", { type: "button", class: "quiet", onclick: onSignOut }, text("account.signOut"));
  const me = element(
    "a",
    { class: "me-link", href: fragmentOf({ view: "me" }), "aria-current": current === "me" && "page" },
    icon("person"),
    element("span", { class: "hidden" }, text("nav.me")),
    element("span", { class: "who" }, who.name),
  );
  account.append(who.readsOnly || isStation(who) ? element("span", { class: "who" }, who.name) : me, signOut);
}

/** @param {Record<import("./standing.js").Kind, number> | null} numbers */
export function setCounts(numbers) {
  const kinds = numbers === null ? [] : KINDS.filter((kind) => !SELDOM.includes(kind) || numbers[kind]);
  fill(
    counts,
    ...kinds.map((kind) =>
      element(
        "li",
        { "data-kind": kind, "data-none": numbers?.[kind] === 0 },
        icon(kind),
        element("strong", {}, numbers?.[kind] ?? 0),
        element("span", {}, ` ${text(`kind.${kind}`)}`),
      ),
    ),
  );
}

/**
 * @param {Following | null} following
 * @param {{isDrawn: boolean}} view  Not drawn: what stands below is as it was when drawing failed.
 */
export function tick(following, { isDrawn }) {
  fill(time, clock(serverNowMs()));
  connection.hidden = following === null;
  const warning = warningOf(following, isDrawn);
  banner.hidden = warning === null;
  fill(banner, warning);
  if (following === null) return;
  const state = isDrawn ? following.connection : "stuck";
  const asOf = asOfText(following);
  const isBehind = state === "reconnecting" || state === "lost";
  setAttribute(connection, "data-connection", state);
  setAttribute(document.body, "data-connection", state);
  fill(
    connection,
    element("span", { class: "dot", "aria-hidden": "true" }),
    element("span", {}, text(`connection.${state}`)),
    isBehind && asOf !== null && element("span", { class: "as-of" }, ` ${text("connection.asOf", { time: asOf })}`),
  );
}

/**
 * @param {Following | null} following
 * @param {boolean} isDrawn
 */
function warningOf(following, isDrawn) {
  if (!isDrawn) return text("connection.banner.stuck");
  if (following?.connection === "lost") {
    const asOf = asOfText(following);
    return asOf === null ? text("connection.banner.never") : text("connection.banner", { time: asOf });
  }
  return following?.unreadable ? text("connection.banner.unreadable", { count: following.unreadable }) : null;
}

/** @param {Following} following */
const asOfText = ({ asOfMs }) => (asOfMs === null ? null : clockWithSeconds(asOfMs));
