"use strict";
// The press of andon_gateway.testing by node-opcua, a server that nobody here wrote. The same lines turn its values.
// node demo/plc/server.cjs PORT PKI [CERTIFICATE KEY]: PKI is a folder for what it makes up.

// Standard output is for answers; node-opcua logs there, too.
const say = (line) => process.stdout.write(`${line}\n`);
console.log = console.error;

const {
  DataType,
  MessageSecurityMode,
  OPCUACertificateManager,
  OPCUAServer,
  SecurityPolicy,
  StatusCodes,
  Variant,
} = require("node-opcua");
const readline = require("node:readline");

const TAGS = {
  oil: { node: "Press1.OilTemperature", kind: DataType.Double, first: 60 },
  mode: { node: "Press1.Mode", kind: DataType.Int32, first: 1 },
  estop: { node: "Press1.EStop", kind: DataType.Boolean, first: false },
};

async function main() {
  const [port, pki, certificateFile, privateKeyFile] = process.argv.slice(2);
  const manager = new OPCUACertificateManager({ rootFolder: pki, automaticallyAcceptUnknownCertificate: true });
  const server = new OPCUAServer({
    port: Number(port),
    host: "127.0.0.1",
    hostname: "127.0.0.1",
    serverInfo: { applicationUri: "urn:andon:plc:server" },
    serverCertificateManager: manager,
    userCertificateManager: manager,
    allowAnonymous: true,
    securityPolicies: [SecurityPolicy.None, SecurityPolicy.Basic256Sha256],
    securityModes: [MessageSecurityMode.None, MessageSecurityMode.SignAndEncrypt],
    ...(certificateFile ? { certificateFile, privateKeyFile } : {}),
  });
  await server.initialize();
  const space = server.engine.addressSpace;
  const own = space.registerNamespace("urn:andon:plc");
  const press = own.addObject({ browseName: "Press1", organizedBy: space.rootFolder.objects });
  const nodes = {};
  for (const [name, { node, kind, first }] of Object.entries(TAGS)) {
    nodes[name] = own.addVariable({ componentOf: press, browseName: node, nodeId: `s=${node}`, dataType: kind });
    nodes[name].setValueFromSource(new Variant({ dataType: kind, value: first }));
  }
  await server.start();
  say("ready");
  for await (const line of readline.createInterface({ input: process.stdin })) {
    say(turn(nodes, line.trim()) ? "ok" : "turn one by a line such as: oil 81, estop 1, mode 8, oil bad");
  }
  await server.shutdown(0);
  process.exit(0);
}

/** Set a value as a line says; return false if it says none. */
function turn(nodes, line) {
  const [name, text, more] = line.split(/\s+/);
  const tag = Object.hasOwn(TAGS, name) && TAGS[name];
  const isBad = text === "bad";
  if (!tag || !text || more || (!isBad && !Number.isFinite(Number(text)))) return false;
  const value = tag.kind === DataType.Boolean ? Boolean(Number(text)) : Number(text);
  const variant = new Variant({ dataType: tag.kind, value: isBad ? tag.first : value });
  nodes[name].setValueFromSource(variant, isBad ? StatusCodes.BadSensorFailure : StatusCodes.Good, new Date());
  return true;
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
