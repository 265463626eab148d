import assert from "node:assert/strict";
import test from "node:test";

import * as mqtt from "../../../functions/pages/board/page/mqtt.js";

const utf8 = new TextEncoder();

/**
 * @param {string} payload
 * @param {number} qos
 */
function published(payload, qos) {
  const topic = utf8.encode("a/b");
  const body = [0, topic.length, ...topic, ...(qos ? [0x12, 0x34] : []), ...utf8.encode(payload)];
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return [0x30 | (qos << 1), ...length, ...body];
}

/** @param {number[]} bytes */
const chunk = (bytes) => new Uint8Array(bytes).buffer;

test("connect is the packet of the standard", () => {
  const packet = [...mqtt.connect("x", 30)];

  assert.deepEqual(packet, [0x10, 13, 0, 4, 77, 81, 84, 84, 4, 2, 0, 30, 0, 1, 120]);
});

test("subscribe asks for one topic at QoS 1", () => {
  assert.deepEqual([...mqtt.subscribe(1, "a/#")], [0x82, 8, 0, 1, 0, 3, 97, 47, 35, 1]);
});

test("a length of more than 127 takes two bytes", () => {
  const packet = mqtt.subscribe(1, "t".repeat(200));

  assert.deepEqual([packet[1], packet[2], packet.length], [(205 & 127) | 128, 205 >> 7, 208]);
});

test("packets are read however they are cut", () => {
  const long = `{"equipmentId": "${"ü".repeat(200)}"}`;
  const bytes = [0x20, 2, 0, 0, 0x90, 3, 0, 1, 1, ...published("one", 0), ...published(long, 1), 0xd0, 0];

  for (let size = 1; size <= bytes.length; size += 1) {
    const reader = new mqtt.Reader();
    const packets = [];
    for (let at = 0; at < bytes.length; at += size) packets.push(...reader.read(chunk(bytes.slice(at, at + size))));

    assert.deepEqual(packets, [
      { type: "connack", code: 0 },
      { type: "suback", code: 1 },
      { type: "publish", topic: "a/b", id: null, payload: "one" },
      { type: "publish", topic: "a/b", id: 0x1234, payload: long },
      { type: "pingresp" },
    ]);
  }
});

test("what is not MQTT is refused", () => {
  assert.throws(() => new mqtt.Reader().read(chunk([0x30, 255, 255, 255, 255, 255])), RangeError);
  assert.throws(() => new mqtt.Reader().read(chunk([0x32, 1, 0])), RangeError);
});
