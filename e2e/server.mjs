// A static server for the tests: a folder under a path of one's choice, everything else is 404.
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

async function find(folder, path) {
  const file = normalize(join(folder, decodeURIComponent(path)));
  if (file !== normalize(folder) && !file.startsWith(normalize(folder + sep))) return null;
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) return find(folder, join(path, "index.html"));
  return found?.isFile() ? file : null;
}

// A file as a static host sends it, compressed once and kept.
async function compressed(file, kept) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  if (!kept.has(file)) kept.set(file, brotliCompressSync(await readFile(file), { params }));
  return kept.get(file);
}

// Serves `folder` under `base`, which starts and ends with a slash; gives { url, close }. `compress` sends what can be
// compressed in Brotli; `headers` go with every file.
export async function serve(folder, base = "/", { compress = false, headers = {} } = {}) {
  const kept = new Map();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = pathname.startsWith(base) ? await find(folder, pathname.slice(base.length)) : null;
    if (!file) return response.writeHead(404).end();
    const type = { "content-type": TYPES[extname(file)] ?? "application/octet-stream", ...headers };
    if (compress && extname(file) !== ".woff2") {
      return response.writeHead(200, { ...type, "content-encoding": "br" }).end(await compressed(file, kept));
    }
    response.writeHead(200, type);
    createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}${base}`,
    close: () => new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    }),
  };
}
