// The npm library `aws-lambda-stream` as a client: it writes the rows that state_log does, and publishes the same facts.
// For each line {"work", "batch"} of standard input it does that work once and prints its CPU in microseconds.
// node aws_lambda_stream.cjs [--without-aws] <workload.json>, with the library and AWS's SDK in NODE_PATH.
// --without-aws: a request is answered in place of the SDK's `send`, before its values get types.

const Module = require("node:module");
const fs = require("node:fs");
const readline = require("node:readline");

// The library loads the clients of all services that it knows; those that are never called need not be installed.
const load = Module._load;
const absent = new Proxy({}, { get: () => class {} });
Module._load = (name, ...more) => {
  try {
    return load(name, ...more);
  } catch (error) {
    if (name.startsWith("@aws-sdk/client-") && error.code === "MODULE_NOT_FOUND") return absent;
    throw error;
  }
};

const library = require("aws-lambda-stream");

if (process.argv.includes("--without-aws")) {
  require("@aws-sdk/lib-dynamodb").DynamoDBDocumentClient.prototype.send = async () => ({});
}

const TTL_DAYS = 33;

const MATERIALIZE = {
  id: "logs",
  flavor: library.materialize,
  eventType: "state-reported",
  toUpdateRequest: ({ event }) => ({
    Key: { DeviceID: event.state.equipmentId, "State#Date": `${event.state.state}#${event.state.timestamp}` },
    ...library.updateExpression({
      State: event.state.state,
      Date: event.state.timestamp,
      Detail: event.state.detail,
      ttl: library.ttl(event.timestamp, TTL_DAYS),
      timestamp: event.timestamp,
    }),
    ...library.timestampCondition(),
  }),
};

const PUBLISH = {
  id: "reports",
  flavor: library.cdc,
  eventType: "state-created",
  toEvent: ({ event: { raw } }) => ({
    type: "state-reported",
    timestamp: Date.parse(raw.new.timestamp),
    partitionKey: raw.new.equipmentId,
    state: {
      equipmentId: raw.new.equipmentId,
      state: raw.new.state,
      timestamp: raw.new.timestamp,
      detail: raw.new.detail,
    },
  }),
};

const OPTIONS = { ...library.defaultOptions, publish: library.publishToEventBridge };

const workload = JSON.parse(fs.readFileSync(process.argv.at(-1), "utf8"));

// The library reads an event off a queue without EventBridge's envelope: its rules hand on the detail only.
const details = workload.messages.map((message) => JSON.stringify(JSON.parse(message).detail));
const messages = details.map((body, number) => ({ messageId: `message-${number}`, eventSource: "aws:sqs", body }));

const works = {
  listener: { records: messages, pipelines: library.initializeFrom([MATERIALIZE]), head: library.fromSqsEvent },
  trigger: { records: workload.records, pipelines: library.initializeFrom([PUBLISH]), head: library.fromDynamodb },
};

const handle = ({ pipelines, head }, event) =>
  library.initialize(pipelines, OPTIONS).assemble(head(event)).through(library.toPromise);

const slices = (records, size) =>
  Array.from({ length: Math.ceil(records.length / size) }, (_, number) => ({
    Records: records.slice(number * size, (number + 1) * size),
  }));

const round = async ({ work, batch }) => {
  const events = slices(works[work].records, batch);
  const started = process.cpuUsage();
  for (const event of events) await handle(works[work], event);
  const { user, system } = process.cpuUsage(started);
  return user + system;
};

const run = async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(`${await round(JSON.parse(line))}\n`);
  }
};

run();
