// What the tests of frames do again and again: a host on one origin, mmscope on another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BASE, DIST, launch } from "./harness.mjs";
import { host } from "./embed-host.mjs";
import { serve } from "./server.mjs";

export const LIMIT = 120_000; // milliseconds for a test
const WAIT = 20_000; // milliseconds for a message
export const RUNS = "#v1/munlock/0/6?pages=28";

export let browser, site;
let other;

// Called once at the top of a test file.
export function useHost() {
  before(async () => {
    // A module is taken from another origin only where that allows it.
    const headers = { "access-control-allow-origin": "*" };
    [browser, site] = await Promise.all([launch(), serve(DIST, BASE, { headers })]);
    other = await host(site.url);
  });
  after(() => Promise.all([browser?.close(), site?.close(), other?.close()]));
}

export const query = (fields) => new URLSearchParams(fields).toString();
export const frameAt = (src, more = {}) => `/frame?${query({ src, ...more })}`;
export const LOADED = frameAt(`?embed=1${RUNS}`);

// The frame of mmscope in a page of the host.
export const frameOf = (page) => page.frames().find((one) => one.url().startsWith(site.url));

// A test of a page of the host: `body({ page, frame, context })`; the frame is that of mmscope, where it is there at
// once.
export function hostTest(name, path, body, options = {}) {
  const { prepare, allow = [], ...more } = options;
  test(name, { timeout: LIMIT }, async () => {
    const viewport = { width: 1000, height: 800 };
    const context = await browser.newContext({ viewport, colorScheme: "light", ...more });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", ({ message }) => complaints.push(message));
    try {
      await prepare?.(page);
      await page.goto(other.url + path);
      await body({ page, context, frame: frameOf(page) });
    } finally {
      await context.close();
    }
    const unexpected = complaints.filter((one) => !allow.some((pattern) => pattern.test(one)));
    assert.deepEqual(unexpected, [], "the page complained");
  });
}

// Messages of a type so far.
export const got = (page, type) =>
  page.evaluate((type) => window.got.filter((one) => !type || one.type === type), type);

// The first message, past or to come, that has these members.
export async function heard(page, members) {
  const handle = await page.waitForFunction((members) => {
    const has = (one) => Object.entries(members).every(([name, value]) => one[name] === value);
    return window.got.find(has);
  }, members, { timeout: WAIT });
  return handle.jsonValue();
}

export const ready = (page) => heard(page, { type: "ready" });

let ids = 0;

// Sends a request and gives the answer.
export async function ask(page, type, fields = {}) {
  const id = `test-${++ids}`;
  await page.evaluate((message) => window.send(message), { mmscope: 1, type, id, ...fields });
  return heard(page, { id });
}

// Steps of both sides, from a message.
export const at = ({ old, new: now }) => [old.step, now.step];
