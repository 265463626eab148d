/** A factory's agenda: the orders of maintenance of a week, by day. Each day is read by itself: a tag says if it changed. */
import { getAll, pathOf, serverNowMs } from "./api.js";
import { dayOf, weekOf } from "./days.js";
import { drawByKey, element, fill, isNew, setAttribute } from "./dom.js";
import { setTitle } from "./header.js";
import { icon } from "./icons.js";
import { nameOf, ordersIn } from "./items.js";
import { beside, daysOf, keyOf, kindOfOrder } from "./orders.js";
import { fragmentOf } from "./places.js";
import { dayText, problemText, text, timeOf } from "./speech.js";

/**
 * @typedef {import("./items.js").PlannedOrder} PlannedOrder
 * @typedef {import("./places.js").AgendaPlace} AgendaPlace
 * @typedef {{name: string, kind: import("./orders.js").OrderKind, order: PlannedOrder}} ShownOrder
 */

const REREAD_MS = 30_000;

/**
 * @param {AgendaPlace} place
 * @param {import("./app.js").Context} context
 * @returns {import("./app.js").View}
 */
export function openAgenda(place, context) {
  const { company, factoryId } = place;
  /** @type {PlannedOrder[] | null} */
  let orders = null;
  let readFor = "";
  let readMs = -Infinity;
  const weeks = element("nav", { class: "parts", "aria-label": text("agenda.weeks") });
  const heading = element("h2", { class: "week" });
  const state = element("p", { class: "empty", role: "status" }, text("agenda.loading"));
  const days = element("ol", { class: "days" });
  const note = element("p", { class: "empty" }, text("agenda.utc"));
  setTitle(text("agenda.title", { factory: factoryId }));

  /** @param {string} day */
  async function read(day) {
    const week = weekOf(day);
    try {
      const read = await Promise.all(week.map((one) => getAll(pathOf`/factories/${factoryId}/agenda/${one}`)));
      if (readFor !== week[0]) return; // another week is shown by now
      const found = read.flat();
      orders = ordersIn(found);
      const unreadable = found.length - orders.length;
      fill(state, unreadable ? text("agenda.unreadable", { count: unreadable }) : orders.length ? "" : text("agenda.none"));
      draw();
    } catch (error) {
      fill(state, problemText(error));
    }
  }

  function draw() {
    const today = dayOf(serverNowMs());
    const day = place.day ?? today;
    const [monday = day] = weekOf(day);
    if (readFor !== monday || performance.now() > readMs + REREAD_MS) {
      if (readFor !== monday) orders = null;
      [readFor, readMs] = [monday, performance.now()];
      void read(day);
    }
    const names = new Map(context.follow(company).items.map((item) => [item.equipmentId, nameOf(item)]));
    drawWeeks(weeks, place, day, today);
    fill(heading, text("agenda.week", { from: dayText(monday), to: dayText(weekOf(day).at(-1) ?? day) }));
    drawByKey(days, daysOf(day, orders ?? []), {
      keyOf: (one) => one.day,
      make: makeDay,
      update: (column, one) => {
        updateDay(column, one.day, today);
        const shown = one.orders.map((order) => ({
          name: names.get(order.equipmentId) ?? order.equipmentId,
          kind: kindOfOrder(order, today),
          order,
        }));
        drawByKey(/** @type {Element} */ (column.lastElementChild), shown, {
          keyOf: ({ order }) => `${order.equipmentId} ${keyOf(order)}`,
          make: makeOrder,
          update: updateOrder,
        });
      },
    });
  }

  return {
    elements: [element("div", { class: "agenda-top" }, heading, weeks, state), days, note],
    className: "view-agenda",
    draw,
    close: () => {},
  };
}

/**
 * @param {HTMLElement} weeks
 * @param {AgendaPlace} place
 * @param {string} day
 * @param {string} today
 */
function drawWeeks(weeks, { company, factoryId }, day, today) {
  if (!isNew(weeks, day, today)) return;
  const { before, after } = beside(day);
  const isNow = weekOf(day).includes(today);
  const linkTo = (/** @type {string} */ words, /** @type {{day?: string}} */ which, isCurrent = false) =>
    element(
      "a",
      { href: fragmentOf({ view: "agenda", company, factoryId, ...which }), "aria-current": isCurrent && "page" },
      words,
    );
  weeks.replaceChildren(
    linkTo(text("agenda.before"), { day: before }),
    linkTo(text("agenda.this"), {}, isNow),
    linkTo(text("agenda.after"), { day: after }),
  );
}

/** @returns {HTMLElement} */
const makeDay = () => element("li", { class: "day" }, element("h3", {}), element("ul", { class: "orders" }));

/**
 * @param {HTMLElement} column
 * @param {string} day
 * @param {string} today
 */
function updateDay(column, day, today) {
  const isToday = day === today;
  setAttribute(column, "aria-current", isToday && "date");
  fill(
    /** @type {Element} */ (column.firstElementChild),
    element("time", { datetime: day }, dayText(day)),
    isToday && " ",
    isToday && element("span", { class: "today" }, text("agenda.today")),
  );
}

/** @param {ShownOrder} shown */
const makeOrder = ({ order: { equipmentId } }) =>
  element("li", { class: "order" }, element("a", { href: fragmentOf({ view: "machine", equipmentId }) }));

/**
 * @param {HTMLElement} place
 * @param {ShownOrder} shown
 */
function updateOrder(place, shown) {
  if (!isNew(place, shown)) return;
  const { name, kind, order } = shown;
  setAttribute(place, "data-kind", kind);
  fill(
    /** @type {Element} */ (place.firstElementChild),
    icon(kind === "done" ? "running" : kind),
    element("span", { class: "name" }, name),
    " ",
    element("span", { class: "order-kind" }, order.kind),
    " ",
    element("span", { class: "order-state" }, stateText(kind, order)),
  );
}

/**
 * @param {import("./orders.js").OrderKind} kind
 * @param {PlannedOrder} order
 */
function stateText(kind, { minutes, startedAt }) {
  if (kind === "maintenance") return text("agenda.maintenance", { time: startedAt === undefined ? "" : timeOf(startedAt) });
  if (kind === "overdue") return text("agenda.overdue");
  if (kind !== "planned") return text(`order.result.${kind}`);
  return minutes === undefined ? text("agenda.planned") : text("agenda.planned.minutes", { minutes });
}
