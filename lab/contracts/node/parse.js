// Prints what AsyncAPI's own parser says of a document; ends with 1 if it says anything.
import { readFileSync } from "node:fs";
import asyncapi from "@asyncapi/parser";

const { diagnostics } = await new asyncapi.Parser().parse(readFileSync(process.argv[2], "utf8"));
for (const one of diagnostics) console.log(`${one.path.join(".")}: ${one.message}`);
process.exitCode = diagnostics.length ? 1 : 0;
