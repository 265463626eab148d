/**
 * How a person is reached, as the API has it. Pure.
 *
 * @typedef {"mail" | "sms" | "webhook" | "push"} Channel
 * @typedef {{endpoint: string, keys: {p256dh: string, auth: string}}} Subscription
 * @typedef {{from: string, to: string, timezone: string}} QuietHours  Times as `22:00`, by the clock of a zone.
 * @typedef {{email?: string, phone?: string, webhooks?: string[], push?: Subscription[], language?: string,
 *   order?: Channel[], quietHours?: QuietHours}} Content
 * @typedef {Content & {verifiedAt: {[channel in Channel]?: string}}} Contact
 */

/** What a person writes; the API replaces all of it. */
const MEMBERS = /** @type {const} */ (["email", "phone", "webhooks", "push", "language", "order", "quietHours"]);
const MOST_SUBSCRIPTIONS = 5; // services.notify.contact_bodies.MOST_PUSH

/** The order of channels that are not told otherwise, as the API has it. @type {readonly Channel[]} */
export const ORDER = ["push", "sms", "mail", "webhook"];

/** The contact of whoever has none. @type {Contact} */
export const NOBODYS = { verifiedAt: {} };

/**
 * The address that a channel uses, as a person reads and writes it: of several the first.
 *
 * @param {Content} contact
 * @param {Channel} channel
 */
export function addressIn({ email, phone, webhooks, push }, channel) {
  return { mail: email, sms: phone, webhook: webhooks?.[0], push: push?.[0]?.endpoint }[channel] ?? "";
}

/**
 * The content with another address, which may be empty; other addresses of the channel stay behind it.
 *
 * @param {Content} contact
 * @param {"mail" | "sms" | "webhook"} channel
 * @param {string} address
 * @returns {Content}
 */
export function withAddress(contact, channel, address) {
  const others = (contact.webhooks ?? []).slice(1).filter((one) => one !== address);
  const changed = {
    mail: { email: address },
    sms: { phone: address.replace(/[\s()/.-]/g, "") },
    webhook: { webhooks: address ? [address, ...others] : others },
  }[channel];
  return contentOf({ ...contact, ...changed });
}

/**
 * The content with this browser first, where it is told.
 *
 * @param {Content} contact
 * @param {Subscription} subscription
 * @returns {Content}
 */
export const withDevice = (contact, { endpoint, keys }) =>
  contentOf({ ...contact, push: [{ endpoint, keys }, ...withoutDevice(contact, endpoint).push ?? []].slice(0, MOST_SUBSCRIPTIONS) });

/**
 * @param {Content} contact
 * @param {string} endpoint
 * @returns {Content}
 */
export const withoutDevice = (contact, endpoint) =>
  contentOf({ ...contact, push: (contact.push ?? []).filter((one) => one.endpoint !== endpoint) });

/**
 * The channels in the order in which they are tried; behind them those that are not.
 *
 * @param {Content} contact
 * @returns {{channel: Channel, isTried: boolean}[]}
 */
export function orderIn({ order = [...ORDER] }) {
  const others = ORDER.filter((channel) => !order.includes(channel));
  return [...order.map((channel) => ({ channel, isTried: true })), ...others.map((channel) => ({ channel, isTried: false }))];
}

/**
 * The content with a channel one place earlier; one that was not tried is tried last.
 *
 * @param {Content} contact
 * @param {Channel} channel
 * @returns {Content}
 */
export function withEarlier(contact, channel) {
  const order = contact.order ?? ORDER;
  const place = order.indexOf(channel);
  const others = order.filter((one) => one !== channel);
  return contentOf({ ...contact, order: others.toSpliced(place < 0 ? others.length : Math.max(place - 1, 0), 0, channel) });
}

/**
 * The content with other quiet hours, or without any.
 *
 * @param {Content} contact
 * @param {QuietHours | null} quietHours
 * @returns {Content}
 */
export function withQuietHours({ quietHours: _, ...others }, quietHours) {
  return contentOf(quietHours ? { ...others, quietHours } : others);
}

/**
 * The content in which messages come in another language.
 *
 * @param {Content} contact
 * @param {string} language
 * @returns {Content}
 */
export const withLanguage = (contact, language) => contentOf({ ...contact, language });

/**
 * What is written of a contact: no version, nothing that is empty.
 *
 * @param {Content} contact
 * @returns {Content}
 */
const contentOf = (contact) => Object.fromEntries(MEMBERS.map((name) => [name, contact[name]]).filter(([, value]) => !isEmpty(value)));

/** @param {unknown} value */
const isEmpty = (value) => value === undefined || value === "" || (Array.isArray(value) && !value.length);
