/** The page: who is signed in, where one is, and what is drawn there. */
import { openAgenda } from "./agenda.js";
import { openBoard } from "./board.js";
import { openChoice, remember } from "./choose.js";
import { openDeed } from "./deed.js";
import { askForNames } from "./directory.js";
import { element, fill } from "./dom.js";
import { openFaults } from "./faults.js";
import { Explanations } from "./explanations.js";
import { Following } from "./following.js";
import { banner, header, setAccount, tick } from "./header.js";
import { lazily } from "./lazy.js";
import { openMachine } from "./machine.js";
import { PendingDeeds } from "./pending.js";
import { placeOf } from "./places.js";
import { isStation } from "./roles.js";
import * as session from "./session.js";
import { openSignIn } from "./sign-in.js";
import { text } from "./speech.js";
import { Starts } from "./starts.js";

/**
 * @typedef {object} View
 * @property {HTMLElement[]} elements
 * @property {string} className
 * @property {() => void} draw  Called when something may have changed, and every second: ages grow.
 * @property {() => void} close
 *
 * @typedef {object} Context  What views share.
 * @property {import("./roles.js").Who | null} who
 * @property {PendingDeeds} pending
 * @property {Starts} starts
 * @property {Explanations} explanations
 * @property {(company: string) => Following} follow
 * @property {() => Following | null} followed
 * @property {(deed: import("./help.js").LogDeed, item: import("./pending.js").ShownItem) => void} act
 * @property {(words: string, undo?: () => void) => void} say  With `undo` a button takes it back, for some seconds.
 */

const SECOND_MS = 1000;

/** A wall is never reloaded by hand; so it gets what was deployed since, and gives up what memory it lost. */
const RELOAD_MS = 24 * 3_600_000;
const SAID_MS = 8000;
const UNDO_MS = 5000;

const startedMs = performance.now();
const main = element("main", { id: "main", tabindex: -1 });
const said = element("p", { class: "said-last", role: "status" });

/** @type {View | null} */
let view = null;
/** @type {Following | null} */
let following = null;
/** @type {import("./places.js").Place} */
let lastBoard = { view: "choose" };
let saidTimer = 0;
let isDrawing = false;

/** Draw with the next frame: many messages cost one drawing. */
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  setTimeout(draw, 0);
}

function draw() {
  isDrawing = false;
  const isWall = session.who()?.readsOnly === true;
  if (isWall && performance.now() > startedMs + RELOAD_MS && following?.connection === "live") location.reload();
  tick(following, { isDrawn: isViewDrawn() });
  void askForNames().then((isLearned) => isLearned && drawSoon());
}

/** Draw the view; what fails must not leave a picture that calls itself live. */
function isViewDrawn() {
  try {
    view?.draw();
    return true;
  } catch (error) {
    console.error(error);
    return false;
  }
}

/** @type {Context} */
const context = {
  get who() {
    return session.who();
  },
  pending: new PendingDeeds(drawSoon),
  starts: new Starts(drawSoon),
  explanations: new Explanations(drawSoon),
  follow(company) {
    if (following?.company === company) return following;
    following?.close();
    remember(company);
    return (following = new Following(company, drawSoon));
  },
  followed: () => following,
  act: (deed, item) => openDeed(deed, item, context),
  say(words, undo) {
    following?.refresh();
    fill(said, words, undo && element("button", { type: "button", onclick: undo }, text("call.undo")));
    clearTimeout(saidTimer);
    saidTimer = setTimeout(() => fill(said), undo ? UNDO_MS : SAID_MS);
  },
};

/** @param {string | null} [why] */
function show(why = null) {
  view?.close();
  const place = placeOf(location.hash);
  view = session.who() === null && place.view !== "link" ? openSignIn(why) : viewOf(place);
  main.className = view.className;
  main.replaceChildren(...view.elements);
  if (place.view === "board") lastBoard = place;
  if (place.view === "agenda" || place.view === "duty") lastBoard = { view: "board", company: place.company, factoryId: place.factoryId };
  const current = session.who() === null ? "" : place.view;
  setAccount(session.who(), { board: lastBoard, current, onSignOut: () => void session.signOut() });
  scrollTo(0, 0);
  draw();
}

/**
 * @param {import("./places.js").Place} place
 * @returns {View}
 */
function viewOf(place) {
  if (place.view !== "link" && isStation(session.who())) {
    return lazily({
      load: () => import("./station.js"),
      style: "station.css",
      open: ({ openStation }) => openStation(context),
      className: "view-machine view-station",
    });
  }
  if (place.view === "board") return openBoard(place, context);
  if (place.view === "agenda") return openAgenda(place, context);
  if (place.view === "machine") return openMachine(place, context);
  if (place.view === "link") {
    return lazily({
      load: () => import("./link.js"),
      style: "link.css",
      open: ({ openLink }) => openLink(place.token),
      className: "view-link",
    });
  }
  if (place.view === "duty") {
    return lazily({
      load: () => import("./duty.js"),
      style: "duty.css",
      open: ({ openDuty }) => openDuty(place, context),
      className: "view-duty",
    });
  }
  if (place.view === "me") {
    return lazily({ load: () => import("./me.js"), style: "me.css", open: ({ openMe }) => openMe(context), className: "view-me" });
  }
  return place.view === "faults" ? openFaults(context) : openChoice();
}

function ended() {
  following?.close();
  following = null;
  show(text("signIn.ended"));
}

/** Take up the session; return why that failed. */
async function whyNotSignedIn() {
  try {
    await session.start();
    const refused = session.refusal();
    return refused === null ? null : text(`signIn.${refused}`);
  } catch {
    return text("signIn.unreachable");
  }
}

async function start() {
  document.body.replaceChildren(header, banner, main, said);
  const why = await whyNotSignedIn();
  session.onEnd(ended);
  addEventListener("hashchange", () => {
    document.querySelector("dialog")?.close();
    show();
    main.focus({ preventScroll: true });
  });
  show(why);
  setInterval(draw, SECOND_MS);
}

void start();
