/**
 * As much of MQTT 3.1.1 as a screen needs: connect, subscribe, receive, ping. Pure.
 * https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html
 *
 * @typedef {{type: "connack", code: number}} Connack
 * @typedef {{type: "suback", code: number}} Suback
 * @typedef {{type: "publish", topic: string, id: number | null, payload: string}} Publish
 * @typedef {{type: "pingresp"} | {type: "other"}} Other
 * @typedef {Connack | Suback | Publish | Other} Packet
 */

const utf8 = new TextEncoder();
const text = new TextDecoder();

const CLEAN_SESSION = 0x02;
const PROTOCOL_LEVEL = 4;

/** Above: the subscription was refused (3.9.3). */
export const SUBSCRIPTION_REFUSED = 0x80;

/**
 * @param {string} clientId
 * @param {number} keepAliveS
 */
export const connect = (clientId, keepAliveS) =>
  packet(0x10, [...string("MQTT"), PROTOCOL_LEVEL, CLEAN_SESSION, ...uint16(keepAliveS), ...string(clientId)]);

/**
 * @param {number} id
 * @param {string} topic
 */
export const subscribe = (id, topic) => packet(0x82, [...uint16(id), ...string(topic), 1]);

/** @param {number} id */
export const puback = (id) => packet(0x40, uint16(id));

export const pingreq = () => packet(0xc0, []);

export const disconnect = () => packet(0xe0, []);

/** Cuts what a socket delivers into packets; a message of a WebSocket may hold several, or half of one (6.0.0-4). */
export class Reader {
  #bytes = new Uint8Array();

  /**
   * @param {ArrayBuffer} chunk
   * @returns {Packet[]}
   */
  read(chunk) {
    this.#bytes = joined(this.#bytes, new Uint8Array(chunk));
    const packets = [];
    for (let next = lengthOf(this.#bytes); next && this.#bytes.length >= next.end; next = lengthOf(this.#bytes)) {
      packets.push(packetOf(/** @type {number} */ (this.#bytes[0]), this.#bytes.subarray(next.start, next.end)));
      this.#bytes = this.#bytes.slice(next.end);
    }
    return packets;
  }
}

/**
 * @param {number} header
 * @param {Uint8Array} body
 * @returns {Packet}
 */
function packetOf(header, body) {
  switch (header >> 4) {
    case 2:
      return { type: "connack", code: body[1] ?? 1 };
    case 3:
      return publishOf(header, body);
    case 9:
      return { type: "suback", code: body[2] ?? SUBSCRIPTION_REFUSED };
    case 13:
      return { type: "pingresp" };
    default:
      return { type: "other" };
  }
}

/**
 * @param {number} header
 * @param {Uint8Array} body
 * @returns {Publish}
 */
function publishOf(header, body) {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const end = 2 + view.getUint16(0);
  const isAcknowledged = (header & 0x06) !== 0; // QoS 0 has no id
  return {
    type: "publish",
    topic: text.decode(body.subarray(2, end)),
    id: isAcknowledged ? view.getUint16(end) : null,
    payload: text.decode(body.subarray(end + (isAcknowledged ? 2 : 0))),
  };
}

/**
 * Where the first packet's body begins and ends: its length is 7 bits a byte, the lowest first (2.2.3). Null: not all
 * of the length has come.
 *
 * @param {Uint8Array} bytes
 */
function lengthOf(bytes) {
  let length = 0;
  for (let at = 1; at <= 4; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) return null;
    length += (byte & 0x7f) << (7 * (at - 1));
    if (byte < 0x80) return { start: at + 1, end: at + 1 + length };
  }
  throw new RangeError("not MQTT");
}

/**
 * @param {number} header
 * @param {readonly number[]} body
 */
function packet(header, body) {
  const length = [];
  for (let left = body.length; left > 0 || !length.length; left >>= 7) length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  return new Uint8Array([header, ...length, ...body]);
}

/** @param {string} value */
const string = (value) => {
  const bytes = utf8.encode(value);
  return [...uint16(bytes.length), ...bytes];
};

/** @param {number} value */
const uint16 = (value) => [value >> 8, value & 0xff];

/**
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
function joined(one, other) {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
