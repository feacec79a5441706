// Prints the digest of every run, computed in WebAssembly, one a line: node digest.mjs MODULE
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const { run_count, run_digest } = instance.exports;
for (let index = 0; index < run_count(); index++) {
  console.log(BigInt.asUintN(64, run_digest(index)).toString(16).padStart(16, "0"));
}
