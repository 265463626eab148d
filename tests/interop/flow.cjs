// Runs flows of the npm library `aws-lambda-stream`; prints as JSON what it handed to AWS.
// node flow.cjs <folder with node_modules> fromEventBridge|fromSqsEvent|groupFromEventBridge|groupFromSqsEvent|publish < event.json

const Module = require("node:module");
const path = require("node:path");

const [folder, flow] = process.argv.slice(2);
const calls = [];

// The SDK comes with Lambda's runtime, not with the library: in its place clients that note what they are sent.
class Client {
  static from = () => new Client();

  async send(command) {
    calls.push({ operation: command.operation, input: command.input });
    return { Entries: [], FailedEntryCount: 0 };
  }
}

const sdk = new Proxy({}, {
  get: (_, name) => (name.endsWith("Client") ? Client : function command(input) {
    return { operation: name, input };
  }),
});

const load = Module._load;
Module._load = (name, ...more) => (name.startsWith("@aws-sdk/") ? sdk : load(name, ...more));

const need = Module.createRequire(path.join(folder, "index.js"));
const library = need("aws-lambda-stream");
const highland = need("highland");

const CONSUMES = {
  id: "logs",
  flavor: library.materialize,
  eventType: "state-reported",
  toUpdateRequest: ({ event }) => ({
    Key: { pk: event.partitionKey, sk: event.state.timestamp },
    ...library.updateExpression({ state: event.state.state, detail: event.state.detail, timestamp: event.timestamp }),
    ...library.timestampCondition(),
  }),
};

// docs/coming-from-aws-lambda-stream.md has these lines.
const factsOf = (detail) => ("facts" in detail && !("id" in detail) ? detail.facts : [detail]);

const fromGroup = (message) => highland(factsOf(message.detail))
  .flatMap((detail) => library.fromEventBridge({ ...message, detail }));

const fromGroups = (event) => library.fromSqsEvent({
  Records: event.Records.flatMap((record) => factsOf(JSON.parse(record.body))
    .map((fact) => ({ ...record, body: JSON.stringify(fact) }))),
});

const PUBLISHES = { id: "tells", flavor: (rule) => library.publishToEventBridge(rule) };

const flows = {
  fromEventBridge: (event) => [CONSUMES, library.fromEventBridge(event)],
  fromSqsEvent: (event) => [CONSUMES, library.fromSqsEvent(event)],
  groupFromEventBridge: (event) => [CONSUMES, fromGroup(event)],
  groupFromSqsEvent: (event) => [CONSUMES, fromGroups(event)],
  publish: (event) => [PUBLISHES, library.fromEventBridge(library.toEventBridgeRecord(event))],
};

const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk));
process.stdin.on("end", () => {
  const [rule, head] = flows[flow](JSON.parse(Buffer.concat(chunks).toString()));
  library.initialize(library.initializeFrom([rule]), { publish: library.publishToEventBridge }).assemble(head).collect()
    .toCallback((error) => {
      if (error) throw error;
      process.stdout.write(JSON.stringify(calls));
    });
});
