/** One connection to the broker: a subscription over a WebSocket, for as long as it answers. */
import * as mqtt from "./mqtt.js";

const OPEN_WITHIN_MS = 10_000;
const PING_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 5000;
const KEEP_ALIVE_S = 30;
const SUBSCRIBE_ID = 1;

/**
 * @typedef {{url: string, topic: string, clientId: string}} Changes  The answer of `GET /board/{company}/changes`.
 * @typedef {{onSubscribed: () => void, onMessage: (payload: string) => void, onEnd: () => void}} Listeners
 */

export class Subscription {
  #reader = new mqtt.Reader();
  #isOver = false;
  #deadline = 0;
  #ping = 0;
  /** @type {WebSocket} */
  #socket;

  /**
   * @param {Changes} changes
   * @param {Listeners} listeners  `onEnd` is called once, unless `close` was.
   */
  constructor({ url, topic, clientId }, listeners) {
    this.topic = topic;
    this.listeners = listeners;
    this.#socket = new WebSocket(url, ["mqtt"]);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.onopen = () => this.#send(mqtt.connect(clientId, KEEP_ALIVE_S));
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    this.#socket.onclose = () => this.#end();
    this.#expectWithin(OPEN_WITHIN_MS);
  }

  close() {
    this.#isOver = true;
    clearTimeout(this.#deadline);
    clearInterval(this.#ping);
    if (this.#socket.readyState === WebSocket.OPEN) this.#send(mqtt.disconnect());
    this.#socket.close();
  }

  #end() {
    if (this.#isOver) return;
    this.close();
    this.listeners.onEnd();
  }

  /** @param {Uint8Array<ArrayBuffer>} packet */
  #send(packet) {
    this.#socket.send(packet);
  }

  /** @param {number} ms */
  #expectWithin(ms) {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#end(), ms);
  }

  /** @param {ArrayBuffer} data */
  #receive(data) {
    if (this.#isOver) return;
    try {
      this.#reader.read(data).forEach((packet) => this.#take(packet));
    } catch {
      this.#end(); // what is not MQTT cannot be cut into packets any more
    }
  }

  /** @param {mqtt.Packet} packet */
  #take(packet) {
    if (packet.type === "connack") {
      if (packet.code !== 0) return this.#end();
      this.#send(mqtt.subscribe(SUBSCRIBE_ID, this.topic));
    } else if (packet.type === "suback") {
      if (packet.code >= mqtt.SUBSCRIPTION_REFUSED) return this.#end();
      clearTimeout(this.#deadline);
      this.#ping = setInterval(() => this.#askForLife(), PING_EVERY_MS);
      this.listeners.onSubscribed();
    } else if (packet.type === "publish") {
      if (packet.id !== null) this.#send(mqtt.puback(packet.id));
      this.listeners.onMessage(packet.payload);
    } else if (packet.type === "pingresp") {
      clearTimeout(this.#deadline);
    }
  }

  #askForLife() {
    this.#send(mqtt.pingreq());
    this.#expectWithin(ANSWER_WITHIN_MS);
  }
}
