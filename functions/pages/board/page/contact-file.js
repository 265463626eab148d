/** A person's contact at the API. */
import { find, pathOf, Refused, write } from "./api.js";
import { isStale } from "./call-dialogs.js";
import { NOBODYS } from "./contact.js";
import { language } from "./language.js";

/**
 * @typedef {import("./contact.js").Channel} Channel
 * @typedef {import("./contact.js").Content} Content
 * @typedef {import("./contact.js").Contact} Contact
 */

const GONE = 410;

/** A person's contact, as it was read, and as it is written again. */
export class ContactFile {
  /** @type {Contact} */
  contact = NOBODYS;
  /** @type {string | null} */
  #etag = null;

  /** @param {string} person */
  constructor(person) {
    this.person = person;
  }

  async read() {
    const found = await find(pathOf`/people/${this.person}/contact`);
    [this.contact, this.#etag] = found === null ? [NOBODYS, null] : [found.body, found.etag];
  }

  /**
   * Write it; false: it was changed elsewhere, and read again.
   *
   * @param {(contact: Contact) => Content} change
   */
  async change(change) {
    try {
      await write("PUT", pathOf`/people/${this.person}/contact`, { language, ...change(this.contact) }, this.#etag);
    } catch (error) {
      if (!isStale(error)) throw error;
      await this.read();
      return false;
    }
    await this.read();
    return true;
  }

  /**
   * Ask for something on a channel: a code, or a test message.
   *
   * @param {Channel} channel
   * @param {"code" | "test"} what
   */
  ask = (channel, what) => write("POST", pathOf`/people/${this.person}/contact/${channel}/${what}`, null);

  /**
   * Say a code; false: there is none any more that counts.
   *
   * @param {Channel} channel
   * @param {string} code
   */
  async verify(channel, code) {
    try {
      await write("PUT", pathOf`/people/${this.person}/contact/${channel}/verified`, { code });
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== GONE) throw error;
      return false;
    }
    await this.read();
    return true;
  }
}
