/**
 * How a person is reached, as the API has it. Pure.
 *
 * @typedef {"mail" | "sms" | "webhook" | "push"} Channel
 * @typedef {{endpoint: string, keys: {p256dh: string, auth: string}}} Subscription
 * @typedef {{email?: string, phone?: string, webhooks?: string[], push?: Subscription[], language?: string,
 *   order?: string[], quietHours?: object}} Content
 * @typedef {Content & {verifiedAt: {[channel in Channel]?: string}}} Contact
 */

/** What a person writes; the API replaces all of it. */
const MEMBERS = /** @type {const} */ (["email", "phone", "webhooks", "push", "language", "order", "quietHours"]);
const MOST_SUBSCRIPTIONS = 5;

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
 * What is written of a contact: no version, nothing that is empty.
 *
 * @param {Content} contact
 * @returns {Content}
 */
const contentOf = (contact) => Object.fromEntries(MEMBERS.map((name) => [name, contact[name]]).filter(([, value]) => !isEmpty(value)));

/** @param {unknown} value */
const isEmpty = (value) => value === undefined || value === "" || (Array.isArray(value) && !value.length);
