/** The service worker: it shows messages that come while the page is closed, and opens the page where they lead. */

const worker = /** @type {any} */ (globalThis);

worker.addEventListener("install", () => worker.skipWaiting());

worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(shown(event.data)));

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(event.notification.data.link));
});

/**
 * Show a message, whatever came: a browser takes the right away from who receives and shows nothing.
 *
 * @param {{json: () => any} | null} data
 */
function shown(data) {
  const { subject, text, about, urgency, language, link } = contentOf(data);
  return worker.registration.showNotification(typeof subject === "string" ? subject : "Andon", {
    body: typeof text === "string" ? text : "",
    lang: typeof language === "string" ? language : "",
    tag: typeof about === "string" ? about : "", // another message about the same takes its place
    renotify: typeof about === "string",
    requireInteraction: urgency === "high",
    icon: "/page/icon.svg",
    data: { link: ownAddress(link) },
  });
}

/** @param {{json: () => any} | null} data */
function contentOf(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {}; // it is not ours
  }
}

/**
 * An address of this page, the page itself in the place of any other one.
 *
 * @param {unknown} link
 */
function ownAddress(link) {
  const { origin } = worker.location;
  try {
    const { href, origin: there } = new URL(String(link ?? ""), origin);
    return there === origin ? href : `${origin}/`;
  } catch {
    return `${origin}/`;
  }
}
