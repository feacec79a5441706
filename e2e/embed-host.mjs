// A host on an origin of its own: pages with frames of mmscope in them, under a policy without unsafe-inline.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const EXAMPLE = fileURLToPath(new URL("../examples/embed/", import.meta.url));

// Collects messages and keys, and gives tests what they need to send.
const RECORDER = `
  window.got = [];
  window.keys = [];
  window.addEventListener("message", ({ data, source, origin }) => {
    const frame = [...document.querySelectorAll("iframe")].findIndex((one) => one.contentWindow === source);
    window.got.push({ ...data, frame, origin });
  });
  window.addEventListener("keydown", ({ key }) => window.keys.push(key));
  window.send = (message) => document.querySelector("iframe").contentWindow.postMessage(message, "*");
`;

// A frame without the same origin as its host, which posts what it is told to the frame beside it.
const SIBLING = `window.addEventListener("message", ({ data }) => parent.frames[0].postMessage(data, "*"));`;

const STYLE = `
  body { margin: 0; }
  iframe { display: block; border: 0; }
  .far { height: 3000px; }
`;

const page = (body, scripts) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>host</title>
<link rel="stylesheet" href="/style.css">
${scripts.map((src) => `<script type="module" src="${src}"></script>`).join("\n")}
</head><body>${body}<p class="far">below</p></body></html>`;

// Starts it. `site` is the address of mmscope. Pages: /frame?src=…&width=…&height=… with one plain frame, /sibling
// with another frame beside it, /opaque as /frame but of no origin, /element?… with an element of these attributes,
// /example/ for the demonstration.
export async function host(site) {
  const { origin } = new URL(site);
  const own = "default-src 'none'; style-src 'self'; img-src 'self'";
  const policy = `${own}; script-src 'self' ${origin}; frame-src 'self' ${origin}`;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://host.test");
    const answer = await find(url, site, origin).catch(() => null);
    if (!answer) return response.writeHead(url.pathname === "/favicon.ico" ? 204 : 404).end();
    const [type, body] = answer;
    const allowed = url.pathname === "/opaque" ? `${policy}; sandbox allow-scripts` : policy;
    const headers = { "content-type": `${type}; charset=utf-8`, "content-security-policy": allowed };
    response.writeHead(200, { ...headers, "access-control-allow-origin": "*" });
    response.end(body);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    }),
  };
}

const written = (attributes) => Object.entries(attributes)
  .map(([name, value]) => `${name}="${escape(value)}"`).join(" ");
const escape = (text) => text.replace(/[&"<]/g, (letter) => `&#${letter.charCodeAt()};`);

async function find({ pathname, searchParams }, site, origin) {
  const asked = Object.fromEntries(searchParams);
  const frame = () => {
    const { src = "?embed=1", width = "800", height = "450", sandbox } = asked;
    const attributes = { title: "mmscope", width, height, src: site + src, ...(sandbox && { sandbox }) };
    return `<iframe ${written(attributes)}></iframe>`;
  };
  switch (pathname) {
    case "/style.css": return ["text/css", STYLE];
    case "/recorder.js": return ["text/javascript", RECORDER];
    case "/sibling.js": return ["text/javascript", SIBLING];
    case "/sibling.html": return ["text/html", page("", ["/sibling.js"])];
    case "/opaque":
    case "/frame": return ["text/html", page(frame(), ["/recorder.js"])];
    case "/sibling": {
      const beside = '<iframe title="other" src="/sibling.html"></iframe>';
      return ["text/html", page(frame() + beside, ["/recorder.js"])];
    }
    case "/element": {
      const element = `<mm-scope ${written(asked)}><p>the twin</p></mm-scope>`;
      return ["text/html", page(element, ["/recorder.js", `${site}mmscope.js`])];
    }
    default: return example(pathname, site, origin);
  }
}

async function example(pathname, site, origin) {
  const name = pathname.match(/^\/example\/(index\.html|host\.css|host\.js)?$/);
  if (!name) return null;
  const file = name[1] ?? "index.html";
  const text = await readFile(EXAMPLE + file, "utf8");
  const type = { html: "text/html", css: "text/css", js: "text/javascript" }[file.split(".").pop()];
  return [type, text.replaceAll("http://127.0.0.1:8080/", site).replaceAll("http://127.0.0.1:8080", origin)];
}
