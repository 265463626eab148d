import assert from "node:assert/strict";
import test from "node:test";

import { addressIn, ORDER, orderIn, withAddress, withDevice, withEarlier, withoutDevice, withQuietHours } from "../../../functions/pages/board/page/contact.js";

const keys = { p256dh: "B", auth: "a" };
const device = (/** @type {string} */ endpoint) => ({ endpoint, keys });
const contact = {
  email: "ana@example.com",
  push: [device("https://one.example/")],
  webhooks: ["https://chat.example/", "https://pager.example/"],
  quietHours: { from: "22:00", to: "06:00", timezone: "UTC" },
  version: 3,
  changedAt: "2026-11-23T12:00:00.000Z",
  verifiedAt: { mail: "2026-11-23T12:00:00.000Z" },
};
const { version: _, changedAt: __, verifiedAt: ___, ...content } = contact;

test("another address leaves all others, and says no version", () => {
  assert.deepEqual(withAddress(contact, "mail", "eva@example.com"), { ...content, email: "eva@example.com" });
  assert.deepEqual(withAddress(contact, "sms", "+52 (133) 1234-5678"), { ...content, phone: "+5213312345678" });
});

test("an empty address is removed", () => {
  const { email: ____, ...others } = content;
  assert.deepEqual(withAddress(contact, "mail", ""), others);
  assert.deepEqual(withAddress(contact, "webhook", "").webhooks, ["https://pager.example/"]);
});

test("of several webhooks the first is another one, and each is named once", () => {
  assert.deepEqual(withAddress(contact, "webhook", "https://pager.example/").webhooks, ["https://pager.example/"]);
});

test("the browser that asks last is told, five at most are kept, each once", () => {
  const many = ["2", "3", "4", "5", "6", "2"].reduce((so, name) => withDevice(so, device(`https://${name}.example/`)), contact);

  assert.deepEqual(many.push?.map(({ endpoint }) => endpoint.at(8)), ["2", "6", "5", "4", "3"]);
  assert.equal(addressIn(many, "push"), "https://2.example/");
  assert.equal(withoutDevice(contact, "https://one.example/").push, undefined);
});

test("a channel goes one place ahead, the first one stays, and one that was left out comes last", () => {
  const sms = { ...contact, order: /** @type {const} */ (["mail", "sms"]) };
  const orders = (/** @type {"mail" | "sms" | "push"} */ channel) => withEarlier({ ...sms, order: [...sms.order] }, channel).order;

  assert.deepEqual([orders("mail"), orders("sms"), orders("push")], [["mail", "sms"], ["sms", "mail"], ["mail", "sms", "push"]]);
  assert.deepEqual(withEarlier(contact, "mail"), { ...content, order: ["push", "mail", "sms", "webhook"] });
  const shown = orderIn({ order: ["mail", "sms"] }).map(({ channel, isTried }) => (isTried ? channel : `(${channel})`));
  assert.deepEqual(shown, ["mail", "sms", "(push)", "(webhook)"]);
  assert.deepEqual(orderIn({}).map(({ channel }) => channel), ORDER);
});

test("other quiet hours leave all else, and none are none", () => {
  const hours = { from: "21:00", to: "05:00", timezone: "UTC" };
  const { quietHours: ____, ...others } = content;

  assert.deepEqual(withQuietHours(contact, hours), { ...content, quietHours: hours });
  assert.deepEqual(withQuietHours(contact, null), others);
});
