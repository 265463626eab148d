/** The maintenance of a machine: what is under way, what is next, what is overdue, and what one can do about each. */
import { getAll, pathOf, Refused, serverNowMs, write } from "./api.js";
import { dayOf, daysAfter } from "./days.js";
import { DeedDialog } from "./deed-dialog.js";
import { drawByKey, element, fill, isNew, setAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { nameOf, ordersIn } from "./items.js";
import { keyOf, kindIn, newestOf, ordersOf } from "./orders.js";
import { may } from "./roles.js";
import { dayText, problemText, text, timeOf } from "./speech.js";

/**
 * @typedef {import("./app.js").Context} Context
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./items.js").OpenOrder} OpenOrder
 * @typedef {import("./items.js").PlannedOrder} PlannedOrder
 * @typedef {{order: OpenOrder, isOverdue: boolean, isNext: boolean}} ShownOrder
 */

const FURTHEST_DAYS = 366; // contract.orders.FURTHEST_DAYS
const LONGEST_MINUTES = 43_200; // contract.entities.maintenance.LONGEST_MINUTES
const STALE = [412, 428];
const AT_ONCE = 100;
const REREAD_MS = 30_000;
const RESULTS = /** @type {const} */ (["done", "partly"]);

export class OrdersSection {
  #list = element("ul", { class: "rows orders" });
  #none = element("p", { class: "empty" }, text("machine.orders.none"));
  #plan = element("button", { type: "button", hidden: true, onclick: () => this.#item && this.#openPlan(this.#item) }, text("order.plan"));
  #problem = element("p", { class: "empty", role: "status" });
  /** What the API said, which the board may know later, or not at all. @type {ReadonlyMap<string, PlannedOrder>} */
  #answered = new Map();
  #readFor = "";
  #readMs = -Infinity;
  /** @type {Item | null} */
  #item = null;

  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    this.section = element("section", {}, element("h2", {}, text("machine.orders")), this.#none, this.#list, this.#problem, this.#plan);
  }

  /** @param {Item} item */
  draw(item) {
    this.#item = item;
    this.#readOrders(item);
    const [overdue, next] = [item.overdue, item.nextOrder].map((order) => order && keyOf(order));
    const today = dayOf(serverNowMs());
    const orders = ordersOf(item, this.#answered).map((order) => ({
      order,
      isOverdue: keyOf(order) === overdue || order.plannedFor < today,
      isNext: keyOf(order) === next,
    }));
    this.#plan.hidden = !may(this.context.who, "plan");
    this.#none.hidden = orders.length > 0;
    drawByKey(this.#list, orders, {
      keyOf: ({ order }) => `${keyOf(order)} ${order.startedAt !== undefined}`,
      make: ({ order }) => this.#makeRow(order),
      update: updateRow,
    });
  }

  /**
   * Read all orders, the finished ones among them: at first, when the board's have changed, and now and then.
   *
   * @param {Item} item
   */
  #readOrders({ equipmentId, underWay, overdue, nextOrder }) {
    const readFor = JSON.stringify([equipmentId, underWay, overdue, nextOrder]);
    if (this.#readFor === readFor && performance.now() < this.#readMs + REREAD_MS) return;
    [this.#readFor, this.#readMs] = [readFor, performance.now()];
    getAll(`${pathOf`/equipment/${equipmentId}/maintenance`}?limit=${AT_ONCE}`).then(
      (found) => {
        if (this.#item?.equipmentId !== equipmentId) return;
        this.#problem.replaceChildren();
        this.#learn(ordersIn(found));
      },
      (error) => fill(this.#problem, problemText(error)),
    );
  }

  /** @param {PlannedOrder[]} orders */
  #learn(orders) {
    this.#answered = newestOf(this.#answered, orders);
    if (this.#item !== null) this.draw(this.#item);
  }

  /** @param {OpenOrder} order */
  #makeRow(order) {
    const row = element("li", { class: "order" }, element("p", { class: "order-text" }));
    if (!may(this.context.who, "maintain")) return row;
    const isBegun = order.startedAt !== undefined;
    const button = (/** @type {"start" | "finish" | "skip"} */ deed, /** @type {() => void} */ onclick) =>
      element("button", { type: "button", onclick, "aria-label": `${text(`order.${deed}`)}: ${order.kind}` }, text(`order.${deed}`));
    const finish = isBegun
      ? [button("finish", () => this.#openFinish(order))]
      : [button("start", () => this.#openStart(order)), button("skip", () => this.#openSkip(order))];
    row.append(element("div", { class: "deeds" }, ...finish));
    return row;
  }

  /** @param {OpenOrder} order */
  #openStart(order) {
    const name = this.#item === null ? "" : nameOf(this.#item);
    const dialog = this.#dialogFor("start", order);
    dialog.body.append(element("p", {}, text("order.start.explain", { name })));
    dialog.onSubmit = () => this.#send("start", order, null);
    dialog.open();
  }

  /** @param {OpenOrder} order */
  #openFinish(order) {
    const dialog = this.#dialogFor("finish", order);
    const radios = RESULTS.map((result) => element("input", { type: "radio", name: "result", value: result, required: true }));
    const labels = radios.map((radio, number) =>
      element("label", { class: "choice-of" }, radio, text(`order.result.${RESULTS[number] ?? "done"}`)),
    );
    dialog.body.append(element("fieldset", {}, element("legend", {}, text("order.finish.result")), ...labels));
    dialog.onSubmit = () => this.#send("finish", order, { result: radios.find((radio) => radio.checked)?.value ?? "" });
    dialog.open();
  }

  /** @param {OpenOrder} order */
  #openSkip(order) {
    const dialog = this.#dialogFor("skip", order);
    dialog.body.append(element("p", {}, text("order.skip.explain")));
    dialog.onSubmit = () => this.#send("skip", order, { result: "skipped" });
    dialog.open();
  }

  /**
   * @param {"start" | "finish" | "skip"} deed
   * @param {OpenOrder} order
   */
  #dialogFor(deed, { kind }) {
    return new DeedDialog(text(`order.${deed}.title`, { order: kind }), text(`order.${deed}.do`));
  }

  /**
   * @param {"start" | "finish" | "skip"} deed
   * @param {OpenOrder} order
   * @param {object | null} body
   */
  async #send(deed, order, body) {
    const path = `${this.#pathOf(order.date, order.kind)}/${deed === "start" ? "start" : "finish"}`;
    const answer = await write("POST", path, body);
    this.context.say(text(`order.${deed}.done`, { order: order.kind }));
    this.#learn(ordersIn([answer.body]));
    return true;
  }

  /** @param {Item} item */
  #openPlan(item) {
    const today = dayOf(serverNowMs());
    const dialog = new DeedDialog(text("order.plan.title", { name: nameOf(item) }), text("order.plan.do"));
    const day = element("input", { type: "date", name: "day", required: true, min: today, max: daysAfter(today, FURTHEST_DAYS) });
    const kind = element("input", { name: "kind", required: true, maxlength: 32, autocapitalize: "none", spellcheck: "false" });
    const minutes = element("input", { type: "number", name: "minutes", min: 1, max: LONGEST_MINUTES, step: 1 });
    dialog.body.append(
      element("label", {}, text("order.plan.day"), day),
      element("label", {}, text("order.plan.kind"), kind),
      element("label", {}, text("order.plan.minutes"), minutes),
    );
    dialog.onSubmit = async () => {
      const order = kindIn(kind.value);
      if (order === null) {
        dialog.complain(text("order.plan.kind.how"));
        return false;
      }
      try {
        const minutesIn = minutes.value ? { minutes: Number(minutes.value) } : {};
        this.#learn(ordersIn([(await write("PUT", this.#pathOf(day.value, order), minutesIn)).body]));
      } catch (error) {
        if (!(error instanceof Refused && STALE.includes(error.status))) throw error;
        dialog.complain(text("order.plan.faster"));
        return false;
      }
      this.context.say(text("order.plan.done", { order, day: dayText(day.value) }));
      return true;
    };
    dialog.open();
  }

  /**
   * @param {string} date
   * @param {string} kind
   */
  #pathOf(date, kind) {
    return pathOf`/equipment/${this.#item?.equipmentId ?? ""}/maintenance/${date}/${kind}`;
  }
}

/**
 * @param {HTMLElement} row
 * @param {ShownOrder} shown
 */
function updateRow(row, { order, isOverdue, isNext }) {
  const { kind, plannedFor, startedAt } = order;
  const look = startedAt !== undefined ? "maintenance" : isOverdue ? "overdue" : "planned";
  const planned = isOverdue ? "overdue" : isNext ? "next" : "later";
  const how = startedAt === undefined ? planned : isOverdue ? "underWay.overdue" : "underWay";
  const said = text(`order.${how}`, { day: dayText(plannedFor), time: startedAt === undefined ? "" : timeOf(startedAt) });
  if (!isNew(row, look, said)) return;
  setAttribute(row, "data-kind", look);
  fill(
    /** @type {Element} */ (row.firstElementChild),
    icon(look),
    element("strong", {}, kind),
    element("span", { class: "detail" }, said),
  );
}
