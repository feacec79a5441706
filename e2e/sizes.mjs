// Prints the size of every file in a folder, as it is and compressed: node sizes.mjs FOLDER
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

export async function sizes(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.path, entry.name));
  return Promise.all(files.sort().map(async (file) => {
    const bytes = await readFile(file);
    const gzip = gzipSync(bytes, { level: 9 }).length;
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
    return { name: relative(folder, file), raw: bytes.length, gzip, brotli };
  }));
}

export function table(rows) {
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const total = { name: "total", raw: sum("raw"), gzip: sum("gzip"), brotli: sum("brotli") };
  const width = Math.max(...rows.map((row) => row.name.length), 5);
  const line = ({ name, raw, gzip, brotli }) =>
    [name.padEnd(width), ...[raw, gzip, brotli].map((cell) => String(cell).padStart(10))].join("");
  return [{ name: "file", raw: "bytes", gzip: "gzip", brotli: "brotli" }, ...rows, total].map(line).join("\n");
}

if (import.meta.url === new URL(process.argv[1], "file:").href) {
  console.log(table(await sizes(process.argv[2])));
}
