// Times bulk munlocks in V8's WebAssembly: node bulk.mjs MODULE [PAGES [VARIANT…]]
// A run is made in slices, as the page makes it: V8 cannot switch a function that is running to its optimised code.
import { readFile } from "node:fs/promises";

const SLICE = 1 << 18;
// Milliseconds of a slice that a person does not feel.
const FELT = 50;

const [path, pages = "2000000", ...wanted] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(await readFile(path), {});
const { memory, variant_count, variant_name, variant_name_length, bulk_start, bulk_advance, bulk_total_rmw, bulk_end } =
  instance.exports;

function name(variant) {
  return new TextDecoder().decode(new Uint8Array(memory.buffer, variant_name(variant), variant_name_length(variant)));
}

// User time rather than wall time, where the machine does other things besides.
function timed(work) {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1000, result];
}

function run(variant, pages) {
  const [setUp, started] = timed(() => bulk_start(variant, pages));
  if (!started) throw new Error(`${pages} pages cannot be set up`);
  let longest = 0;
  const [taken] = timed(() => {
    for (let more = 1; more; ) {
      const start = performance.now();
      more = bulk_advance(SLICE);
      longest = Math.max(longest, performance.now() - start);
    }
  });
  const rmw = Number(bulk_total_rmw());
  bulk_end();
  return { setUp, taken, longest, rmw };
}

console.log(`bulk munlock of ${pages} pages in WebAssembly (V8 ${process.versions.v8}), CPU time`);
console.log("variant   set-up ns/page   run ns/page   atomics/page   longest slice");
for (let variant = 0; variant < variant_count(); variant++) {
  if (wanted.length && !wanted.includes(name(variant))) continue;
  const { setUp, taken, longest, rmw } = run(variant, Number(pages));
  const perPage = (milliseconds) => ((milliseconds * 1e6) / pages).toFixed(1);
  const cells = [perPage(setUp).padStart(17), perPage(taken).padStart(14), (rmw / pages).toFixed(3).padStart(15)];
  const slice = `${longest.toFixed(1)} ms${longest > FELT ? " (long)" : ""}`;
  console.log(name(variant).padEnd(7) + cells.join("") + slice.padStart(16));
}
