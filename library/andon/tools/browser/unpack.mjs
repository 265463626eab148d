// Writes the files of the npm package @sparticuz/chromium, which are compressed by Brotli: `node unpack.mjs FROM TO`.
// Python has no Brotli of its own.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const [from, to] = process.argv.slice(2);
for (const name of readdirSync(from)) {
  writeFileSync(join(to, name.replace(/\.br$/, "")), brotliDecompressSync(readFileSync(join(from, name))));
}
