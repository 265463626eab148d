/** Messages to this browser, also while the page is closed: its service worker shows them. */
import { settings } from "./oidc.js";

/** The only script that may be registered, whatever runs on the page. */
const WORKER = "/page/sw.js";

/** @typedef {"unsupported" | "unoffered" | "denied"} Hindrance */

/** Why this browser is not told. */
export class Hindered extends Error {
  /** @param {Hindrance} why */
  constructor(why) {
    super(why);
    this.why = why;
  }
}

/**
 * The address of the worker, as the page's policy wants it: https://www.w3.org/TR/trusted-types/
 *
 * @type {any}
 */
let address = WORKER;

const { trustedTypes } = /** @type {any} */ (globalThis);
if (trustedTypes) {
  const createScriptURL = (/** @type {string} */ url) => {
    if (url !== WORKER) throw new TypeError("this is not the page's worker");
    return url;
  };
  address = trustedTypes.createPolicy("worker", { createScriptURL }).createScriptURL(WORKER);
}

/** What keeps this browser from being told, as far as can be seen; null: nothing. @returns {Promise<Hindrance | null>} */
export async function hindrance() {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return "unsupported";
  if (!(await settings()).pushKey) return "unoffered";
  return Notification.permission === "denied" ? "denied" : null;
}

/** The subscription that this browser has; null: none. */
export async function subscribed() {
  const registration = await navigator.serviceWorker?.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/**
 * Subscribe this browser; it asks its user.
 *
 * @returns {Promise<import("./contact.js").Subscription>}
 * @throws {Hindered} it cannot, or may not
 */
export async function subscribe() {
  const { pushKey } = await settings();
  if (!pushKey) throw new Hindered("unoffered");
  if ((await Notification.requestPermission()) !== "granted") throw new Hindered("denied");
  const registration = await navigator.serviceWorker.register(address, { updateViaCache: "none" });
  await activeIn(registration);
  const known = await registration.pushManager.getSubscription();
  const made = known ?? (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey }));
  const { endpoint = "", keys = {} } = made.toJSON();
  return { endpoint, keys: { p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "" } };
}

/** Be told no more; return the address that nothing is to be sent to. */
export async function unsubscribe() {
  const subscription = await subscribed();
  await subscription?.unsubscribe();
  return subscription?.endpoint ?? "";
}

/**
 * The page is not below the worker's address, so that `navigator.serviceWorker.ready` would wait for ever.
 *
 * @param {ServiceWorkerRegistration} registration
 */
const activeIn = ({ active, installing, waiting }) =>
  new Promise((/** @type {(value: void) => void} */ resolve) => {
    const coming = installing ?? waiting;
    if (active || !coming) return resolve();
    coming.addEventListener("statechange", () => coming.state === "activated" && resolve());
  });
