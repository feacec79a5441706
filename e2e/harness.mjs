// Opens the built page in a browser, and fails a test on whatever the page complains of.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

export const DIST = process.env.MMSCOPE_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));
// The site must work under any path, so it is never tested at the top.
export const BASE = "/some/where/";
export const SIZES = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 768 },
  phone: { width: 390, height: 844 },
};
// What the page opened on before it had a start page, and what most tests are about.
export const MUNLOCK = "#v1/munlock/0/6";
const EVENTS = ["mmscope:ready", "mmscope:start", "mmscope:step", "mmscope:error"];
// Milliseconds; far above what is usual, for machines that do something else besides.
const TEST_LIMIT = 120_000;
const EVENT_LIMIT = 20_000;

export function launch() {
  const candidates = process.env.CHROMIUM
    ? [process.env.CHROMIUM]
    : ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = candidates.find(existsSync);
  if (!executablePath) throw new Error(`no browser at ${candidates.join(", ")}: set CHROMIUM, or run \`cargo xtask setup\``);
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args });
}

// Opens `url`. Options, all optional:
//   path          what follows the url: "?embed=1#…"; "" is the start page. The explorer at munlock by default
//   viewport      one of SIZES, or { width, height }
//   colorScheme, reducedMotion, and any other option of playwright's newContext
//   prepare       async (page) => …, run before the page loads: routes, init scripts
//   waitFor       the event that ends the opening; null: none. "mmscope:ready" by default
// Gives { page, context, events, waitFor, complaints }; events are { type, detail }, oldest first.
export async function open(browser, url, options = {}) {
  const { path = MUNLOCK, prepare, waitFor: awaited = "mmscope:ready", ...contextOptions } = options;
  const context = await browser.newContext({
    viewport: SIZES.desktop,
    colorScheme: "light",
    reducedMotion: "no-preference",
    ...contextOptions,
  });
  const page = await context.newPage();
  const complaints = listen(page, new URL(url).host);
  await reportViolations(page, complaints);
  const view = { page, context, complaints, ...(await follow(page)) };
  await prepare?.(page);
  await page.goto(url + path);
  if (awaited) await view.waitFor(awaited);
  return view;
}

// Collects what a page should never do: warn, fail, or ask another host for anything.
function listen(page, host) {
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, host: asked } = new URL(request.url());
    if (protocol.startsWith("http") && asked !== host) complaints.push(`other host: ${request.url()}`);
  });
  // The icon may still be on its way when a page is left.
  const gone = (request) => /favicon/.test(request.url()) && request.failure()?.errorText === "net::ERR_ABORTED";
  page.on("requestfailed", (request) => gone(request) || complaints.push(`failed: ${request.url()} ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`status ${response.status()}: ${response.url()}`);
  });
  return complaints;
}

// Whatever the page's policy refuses, in every frame, is a complaint with the directive and the place.
async function reportViolations(page, complaints) {
  await page.exposeBinding("mmscopeViolation", (_, text) => complaints.push(`Content Security Policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { effectiveDirective, blockedURI, sourceFile, lineNumber, sample } = event;
      window.mmscopeViolation(`${effectiveDirective} refused ${blockedURI} (${sourceFile}:${lineNumber}) ${sample}`);
    });
  });
}

// Brings the app's own events out of the page as they happen.
async function follow(page) {
  const events = [];
  const waiting = new Set();
  await page.exposeBinding("mmscopeReport", (_, event) => {
    events.push(event);
    for (const check of waiting) check(event);
  });
  await page.addInitScript((types) => {
    for (const type of types) {
      document.addEventListener(type, ({ detail }) => window.mmscopeReport({ type, detail }));
    }
  }, EVENTS);

  // The detail of the first event, past or to come, that `accept(detail)` takes.
  function waitFor(type, accept = () => true) {
    const matches = (event) => event.type === type && accept(event.detail);
    const past = events.find(matches);
    if (past) return Promise.resolve(past.detail);
    return new Promise((resolve, reject) => {
      const settle = (how, value) => {
        waiting.delete(check);
        clearTimeout(timer);
        how(value);
      };
      const check = (event) => {
        if (matches(event)) settle(resolve, event.detail);
        else if (event.type === "mmscope:error") settle(reject, new Error(`waiting for ${type}: ${JSON.stringify(event.detail)}`));
      };
      const late = () => settle(reject, new Error(`no ${type} within ${EVENT_LIMIT} ms, after ${JSON.stringify(events.slice(-5))}`));
      const timer = setTimeout(late, EVENT_LIMIT);
      waiting.add(check);
    });
  }
  return { events, waitFor };
}

let axeSource;

// Fails on accessibility violations that axe calls serious or critical. `options` are axe.run's.
export async function axe(page, options = {}) {
  axeSource ??= await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Evaluated from outside the page, so the page's policy stays on.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate((options) => window.axe.run(document, options), options);
  const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const lines = grave.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`);
  assert.equal(lines.join("\n"), "", "axe found grave violations");
}

let browser;
let site;

// Called once at the top of a test file: starts the browser and the server, and stops them at the end.
export function useBrowser() {
  before(async () => {
    if (!existsSync(DIST)) throw new Error(`${DIST} is missing: run \`cargo xtask build\``);
    [browser, site] = await Promise.all([launch(), serve(DIST, BASE)]);
  });
  after(() => Promise.all([browser?.close(), site?.close()]));
}

// A test of the page: `body(view)` gets what `open` gives. `options` are open's, and
//   allow   patterns of complaints that this test brings about itself
export function pageTest(name, options, body) {
  const { allow = [], ...openOptions } = options;
  test(name, { timeout: TEST_LIMIT }, async () => {
    const view = await open(browser, site.url, openOptions);
    try {
      await body(view);
    } finally {
      await view.context.close();
    }
    const unexpected = view.complaints.filter((complaint) => !allow.some((pattern) => pattern.test(complaint)));
    assert.deepEqual(unexpected, [], "the page complained");
  });
}
