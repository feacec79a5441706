// The page in a frame of a page on another origin: messages, keys, rest, the way out, the element.
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, BASE, DIST, launch } from "./harness.mjs";
import { host } from "./embed-host.mjs";
import { serve } from "./server.mjs";

const LIMIT = 120_000; // milliseconds for a test
const WAIT = 20_000; // milliseconds for a message
const RUNS = "#v1/munlock/0/6?pages=28";

let browser, site, other;

before(async () => {
  // A module is taken from another origin only where that allows it.
  [browser, site] = await Promise.all([launch(), serve(DIST, BASE, { "access-control-allow-origin": "*" })]);
  other = await host(site.url);
});
after(() => Promise.all([browser?.close(), site?.close(), other?.close()]));

const query = (fields) => new URLSearchParams(fields).toString();
const frameAt = (src, more = {}) => `/frame?${query({ src, ...more })}`;

// A test of a page of the host: `body({ page, frame, context })`; the frame is that of mmscope.
function hostTest(name, path, body, options = {}) {
  const { prepare, allow = [], ...contextOptions } = options;
  test(name, { timeout: LIMIT }, async () => {
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, colorScheme: "light", ...contextOptions });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", ({ message }) => complaints.push(message));
    try {
      await prepare?.(page, context);
      await page.goto(path.startsWith("data:") ? path : other.url + path);
      const frame = () => page.frames().find((one) => one.url().startsWith(site.url));
      await body({ page, context, get frame() { return frame(); } });
    } finally {
      await context.close();
    }
    assert.deepEqual(complaints.filter((one) => !allow.some((pattern) => pattern.test(one))), [], "the page complained");
  });
}

// Messages of a type so far.
const got = (page, type) => page.evaluate((type) => window.got.filter((one) => !type || one.type === type), type);

// The first message, past or to come, after the first `from`, that has these members.
async function heard(page, members, from = 0) {
  const handle = await page.waitForFunction(([members, from]) => window.got.slice(from)
    .find((one) => Object.entries(members).every(([name, value]) => one[name] === value)), [members, from], { timeout: WAIT });
  return handle.jsonValue();
}

let ids = 0;

// Sends a request and gives the answer.
async function ask(page, type, fields = {}) {
  const id = `test-${++ids}`;
  await page.evaluate((message) => window.send(message), { mmscope: 1, type, id, ...fields });
  return heard(page, { id });
}

const at = ({ old, new: now }) => [old.step, now.step];
const ready = (page) => heard(page, { type: "ready" });

hostTest("ready comes once, and each ping is answered", frameAt(`?embed=1${RUNS}&step=9,9`), async ({ page, frame }) => {
  const hello = await ready(page);
  assert.deepEqual([hello.mmscope, hello.scenario, hello.origin, at(hello)], [1, "munlock", new URL(site.url).origin, [9, 9]]);
  assert.match(hello.version, /^\d+\.\d+\.\d+$/);
  assert.match(hello.link, /^#v\d+\/munlock/);
  for (const id of [7, "seven"]) {
    await page.evaluate((id) => window.send({ mmscope: 1, type: "ping", id }), id);
    const pong = await heard(page, { type: "pong", id });
    assert.deepEqual(at(pong), [9, 9]);
  }
  assert.equal((await got(page, "ready")).length, 1);
  const { height } = await heard(page, { type: "resize" });
  const needed = await frame.evaluate(() => [...document.querySelector("#app").children].reduce((sum, part) =>
    part.classList.contains("sr") ? sum : sum + part.offsetHeight, 0));
  assert.equal(height, needed);
});

hostTest("each message does what it says", frameAt("?embed=1"), async ({ page, frame }) => {
  await ready(page);
  let answer = await ask(page, "load", { scenario: "munlock", old: "0", new: "6", params: { pages: 28 }, step: [3, 2] });
  assert.deepEqual([answer.type, answer.scenario, ...at(answer)], ["step", "munlock", 3, 2]);
  assert.equal(await frame.locator(".etop b").innerText(), "munlock, 28 pages");
  answer = await ask(page, "seek", { step: 41 });
  assert.deepEqual([answer.type, answer.place], ["step", 41]);
  answer = await ask(page, "seek", { step: [20, 15] });
  assert.deepEqual(at(answer), [20, 15]);
  answer = await ask(page, "seek", { milestone: "page 7" });
  assert.equal(answer.milestone, "page 7");
  const { place } = answer;
  assert.equal((await ask(page, "step")).place, place + 1);
  assert.equal((await ask(page, "step", { by: 5 })).place, place + 6);
  assert.equal((await ask(page, "step", { by: -6 })).place, place);
  answer = await ask(page, "play", { speed: 60 });
  assert.equal(answer.playing, true);
  await page.waitForFunction((place) => window.got.some((one) => one.type === "step" && one.playing && one.place > place + 3), place);
  answer = await ask(page, "pause");
  assert.equal(answer.playing, false);
  const told = (await got(page, "step")).length;
  await page.waitForTimeout(300);
  assert.equal((await got(page, "step")).length, told, "no step after a pause");
  answer = await ask(page, "load", { link: "#v1/lru-drain/sync/async?step=2,2" });
  assert.deepEqual([answer.scenario, ...at(answer)], ["lru-drain", 2, 2]);
  answer = await ask(page, "seek", { milestone: 0 });
  assert.deepEqual(at(answer), [0, 0]);
});

hostTest("what is passed is told", frameAt(`?embed=1#v1/munlock/0/6?pages=14`), async ({ page }) => {
  await ready(page);
  assert.equal((await got(page, "divergence")).length, 0);
  await ask(page, "seek", { milestone: "the end" });
  const { step } = await heard(page, { type: "divergence" });
  assert.ok(step.every((one) => one > 0), step.join());
  await ask(page, "seek", { step: 0 });
  await ask(page, "seek", { step });
  assert.equal((await got(page, "divergence")).length, 2);
  // Truncation against patches 1 to 6 ends in a deadlock.
  await ask(page, "load", { scenario: "munlock-truncate", old: "0", new: "6" });
  const end = await ask(page, "seek", { milestone: "the end" });
  const broken = await heard(page, { type: "invariant" });
  assert.deepEqual([broken.side, broken.step, typeof broken.rule, broken.input], ["new", end.new.step, "string", false]);
});

// Messages that no host of good will sends, and the code of the answer; none: left alone.
const HOSTILE = [
  ["'ping'", null], ["null", null], ["42", null], ["({})", null], ["({ type: 'load', scenario: 'munlock' })", null],
  ["new Map([['mmscope', 1]])", null], ["new Date()", null], ["[{ mmscope: 1, type: 'step' }]", null],
  ["({ mmscope: 2, type: 'step' })", "version"], ["({ mmscope: '1', type: 'step' })", "version"],
  ["({ mmscope: 1 })", "type"], ["({ mmscope: 1, type: ['step'] })", "type"], ["({ mmscope: 1, type: 'constructor' })", "type"],
  ["({ mmscope: 1, type: 'x'.repeat(5e6) })", "type"],
  ["({ mmscope: 1, type: 'step', by: '1' })", "field"], ["({ mmscope: 1, type: 'step', by: NaN })", "field"],
  ["({ mmscope: 1, type: 'step', by: 1e12 })", "range"], ["({ mmscope: 1, type: 'step', by: 10n })", "field"],
  ["({ mmscope: 1, type: 'step', by: 1, extra: 1 })", "field"],
  ["({ mmscope: 1, type: 'seek', step: { 0: 1, 1: 1, length: 2 } })", "field"],
  ["({ mmscope: 1, type: 'seek', step: Array(1e6).fill(1) })", "field"],
  ["({ mmscope: 1, type: 'seek', step: [9e9, 1] })", "field"], ["({ mmscope: 1, type: 'seek', step: [999999, 1] })", "range"],
  ["({ mmscope: 1, type: 'seek', milestone: '<script>alert(1)</script>' })", "range"],
  ["({ mmscope: 1, type: 'play', speed: 0 })", "range"], ["({ mmscope: 1, type: 'play', speed: 1e9 })", "range"],
  ["JSON.parse('{\"mmscope\":1,\"type\":\"step\",\"__proto__\":{\"by\":5}}')", "field"],
  ["({ mmscope: 1, type: 'step', constructor: { prototype: { by: 5 } } })", "field"],
  ["({ mmscope: 1, type: 'load', scenario: '__proto__', old: '0', new: '6' })", "load"],
  ["({ mmscope: 1, type: 'load', scenario: 'munlock', old: '0', new: 'toString' })", "load"],
  ["({ mmscope: 1, type: 'load', scenario: 'munlock', old: '0', new: '6', params: JSON.parse('{\"__proto__\":1}') })", "load"],
  ["({ mmscope: 1, type: 'load', scenario: 'munlock', old: '0', new: '6', params: { pages: 4e9 } })", "load"],
  ["({ mmscope: 1, type: 'load', scenario: 'munlock', old: '0', new: '6', params: { pages: { a: { b: {} } } } })", "field"],
  ["({ mmscope: 1, type: 'load', scenario: 'x'.repeat(1e6), old: '0', new: '6' })", "field"],
  ["({ mmscope: 1, type: 'load', link: 'javascript:alert(1)' })", "link"],
  ["({ mmscope: 1, type: 'load', link: '#' + 'v1/'.repeat(1e6) })", "field"],
  ["Object.fromEntries([['mmscope', 1], ['type', 'ping'], ...Array(1e4).keys()].map((x) => Array.isArray(x) ? x : ['k' + x, 1]))", null],
  ["({ mmscope: 1, type: 'ping', id: { toString: 1 } })", "field"], ["({ mmscope: 1, type: 'ping', id: 'x'.repeat(1e5) })", "field"],
];

hostTest("hostile messages change nothing and are answered", frameAt(`?embed=1${RUNS}&step=9,9`), async ({ page, frame }) => {
  const before = await ready(page);
  const shown = await frame.locator("#app").innerHTML();
  for (const [code, expected] of HOSTILE) {
    const from = (await got(page)).length;
    await page.evaluate(`window.send(${code})`);
    const pong = await ask(page, "ping");
    assert.deepEqual(at(pong), at(before), code);
    const answers = (await got(page)).slice(from).filter(({ type }) => type !== "pong");
    assert.deepEqual(answers.map((one) => one.code), expected ? [expected] : [], code);
    assert.ok(answers.every(({ message }) => message.length < 400 && !message.includes("<script")), code);
    await page.waitForTimeout(12); // Below the rate at which messages are dropped.
  }
  assert.equal(await frame.locator("#app").innerHTML(), shown, "the picture stays");
  assert.equal(await frame.evaluate(() => ({}).by), undefined);
});

hostTest("a frame beside it is not the host", `/sibling?${query({ src: `?embed=1${RUNS}` })}`, async ({ page }) => {
  await ready(page);
  await page.evaluate(() => window.frames[1].postMessage({ mmscope: 1, type: "step", id: "sibling" }, "*"));
  await page.waitForTimeout(300);
  const pong = await ask(page, "ping");
  assert.deepEqual(at(pong), [0, 0]);
  assert.equal((await got(page)).filter(({ id }) => id === "sibling").length, 0);
});

hostTest("a flood is dropped, told, and survived", frameAt(`?embed=1${RUNS}`), async ({ page }) => {
  await ready(page);
  await page.evaluate(() => {
    for (let i = 0; i < 20_000; i++) window.send({ mmscope: 1, type: "step", by: i % 2 ? -1 : 1, id: i });
  });
  await heard(page, { type: "error", code: "rate" });
  await page.waitForTimeout(2500);
  const pong = await ask(page, "ping");
  assert.equal(pong.type, "pong");
  const answered = (await got(page)).filter(({ id }) => typeof id === "number").length;
  assert.ok(answered > 150 && answered < 1500, `${answered} answers`);
});

// Notes what a page should not do, in every frame.
const watchWrites = (page) => page.addInitScript(() => {
  window.wrote = [];
  const watch = (object, names) => names.forEach((name) => {
    const own = object[name];
    object[name] = function (...values) {
      window.wrote.push(name);
      return own.apply(this, values);
    };
  });
  watch(History.prototype, ["pushState", "replaceState", "go", "back", "forward"]);
  watch(Storage.prototype, ["setItem", "removeItem", "clear", "getItem"]);
  watch(IDBFactory.prototype, ["open"]);
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  Object.defineProperty(Document.prototype, "cookie", { ...cookie, set() { window.wrote.push("cookie"); } });
});

hostTest("a frame writes no address, no history and no storage", frameAt(`?embed=1${RUNS}`), async ({ page, frame }) => {
  await ready(page);
  const [url, entries] = [frame.url(), await page.evaluate(() => history.length)];
  await frame.getByRole("button", { name: "Step", exact: true }).click();
  for (const key of ["ArrowRight", "End", "n", "3", "d", "i", "Escape", "l", "?", "e", "t"]) await page.keyboard.press(key);
  await frame.locator(".tile[data-page]").first().click();
  await ask(page, "load", { scenario: "pcp-free", old: "v4.15", new: "merged" });
  await ask(page, "step", { by: 40 });
  await ask(page, "play", { speed: 240 });
  await page.waitForTimeout(700);
  await ask(page, "pause");
  assert.equal(frame.url(), url);
  assert.equal(await page.evaluate(() => history.length), entries);
  assert.deepEqual(await frame.evaluate(() => window.wrote), []);
  assert.deepEqual(await frame.evaluate(() => [localStorage.length, sessionStorage.length]), [0, 0]);
}, { prepare: watchWrites });

hostTest("keys are taken only inside, and only those that do something", frameAt(`?embed=1${RUNS}`), async ({ page, frame }) => {
  await ready(page);
  await page.evaluate(() => document.body.focus());
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(at(await ask(page, "ping")), [0, 0], "the host's key");
  assert.deepEqual(await page.evaluate(() => window.keys), ["ArrowRight"]);
  await frame.evaluate(() => {
    window.seen = [];
    window.addEventListener("keydown", (event) => window.seen.push([event.key, event.defaultPrevented]));
  });
  await frame.getByRole("button", { name: "Step", exact: true }).focus();
  for (const key of ["ArrowRight", "x", "F4", "?", "e", "l", "Home"]) await page.keyboard.press(key);
  assert.deepEqual(await frame.evaluate(() => window.seen), [["ArrowRight", true], ["x", false], ["F4", false],
    ["?", false], ["e", false], ["l", false], ["Home", true]]);
  assert.deepEqual(await page.evaluate(() => window.keys), ["ArrowRight"], "none comes out");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await heard(page, { type: "blur" });
  await page.waitForFunction(() => document.activeElement !== document.querySelector("iframe"));
  await page.keyboard.press("PageDown");
  assert.deepEqual(await page.evaluate(() => window.keys), ["ArrowRight", "PageDown"], "the host has its keys again");
  assert.equal(at(await ask(page, "ping"))[0], 1);
});

hostTest("Escape first closes what is open", frameAt(`?embed=1${RUNS}`), async ({ page, frame }) => {
  await ready(page);
  await frame.locator(".tile[data-page]").first().click();
  await frame.locator(".inspect").first().waitFor();
  await page.keyboard.press("Escape");
  await frame.locator(".inspect").waitFor({ state: "hidden" });
  assert.equal((await got(page, "blur")).length, 0);
  await page.keyboard.press("Escape");
  await heard(page, { type: "blur" });
});

hostTest("out of sight it rests, and goes on when seen again", frameAt(`?embed=1${RUNS}`), async ({ page }) => {
  await ready(page);
  await ask(page, "play", { speed: 30 });
  await page.waitForFunction(() => window.got.filter(({ type }) => type === "step").length > 5);
  await page.evaluate(() => scrollTo(0, 2000));
  await page.waitForTimeout(400);
  const told = (await got(page, "step")).length;
  await page.waitForTimeout(800);
  assert.equal((await got(page, "step")).length, told, "no more steps");
  assert.equal((await ask(page, "ping")).playing, true);
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction((told) => window.got.filter(({ type }) => type === "step").length > told + 5, told);
});

hostTest("nothing plays by itself", frameAt(`?embed=1${RUNS}`), async ({ page }) => {
  assert.equal((await ready(page)).playing, false);
  await page.waitForTimeout(600);
  assert.equal((await got(page, "step")).length, 0);
});

hostTest("the link opens the whole page at the same moment", frameAt(`?embed=1&controls=none${RUNS}`), async ({ page, frame, context }) => {
  await ready(page);
  const place = at(await ask(page, "seek", { milestone: "page 9" }));
  const link = frame.getByRole("link", { name: "Open in mmscope" });
  assert.deepEqual(await link.evaluate(({ target, rel }) => [target, rel]), ["_blank", "noopener"]);
  const [tab] = await Promise.all([context.waitForEvent("page"), link.click()]);
  await tab.locator(".side.old .stepno").waitFor();
  assert.equal(new URL(tab.url()).search, "");
  for (const [i, side] of ["old", "new"].entries()) {
    assert.match(await tab.locator(`.side.${side} .stepno`).innerText(), new RegExp(`step ${place[i]} of`));
  }
});

const SIZES = [[600, 400], [800, 450], [360, 640], [320, 480]];
for (const [width, height] of SIZES) {
  for (const theme of ["light", "dark"]) {
    const src = `?embed=1&theme=${theme}${RUNS}&step=60,50`;
    hostTest(`${width} by ${height}, ${theme}`, frameAt(src, { width, height }), async ({ page, frame }) => {
      await ready(page);
      const seen = await frame.evaluate(() => {
        const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
        const size = (selector) => parseFloat(getComputedStyle(document.querySelector(selector)).fontSize);
        const { clientWidth: width, clientHeight: height } = document.documentElement;
        return {
          overflow: document.documentElement.scrollWidth - width,
          out: [".etop .open", ".transport", "#step"].filter((one) => {
            const { left, right, top, bottom } = box(one);
            return left < 0 || right > width + 0.5 || top < 0 || bottom > height + 0.5;
          }),
          small: [".etop b", ".etop .open", ".say", ".shead .pick", "#step"].filter((one) => size(one) < 13),
          paper: getComputedStyle(document.body).backgroundColor,
        };
      });
      assert.deepEqual({ ...seen, paper: 0 }, { overflow: 0, out: [], small: [], paper: 0 });
      assert.equal(seen.paper, theme === "light" ? "rgb(251, 250, 247)" : "rgb(17, 20, 24)");
      await axe(frame);
    });
  }
}

hostTest("only what was asked for is shown", frameAt("?embed=1&panes=ledger&controls=min&motion=reduce"), async ({ page, frame }) => {
  await ready(page);
  assert.equal(await frame.locator(".side, .time, header.top, dialog[open]").count(), 0);
  assert.ok(await frame.locator(".ledger .tab").isVisible());
  assert.match(await frame.locator(".etop").innerText(), /munlock.*old: .*new: /s);
  const buttons = await frame.locator(".transport button:visible, .transport select:visible").allInnerTexts();
  assert.deepEqual(buttons.map((one) => one.trim()), ["Back", "Step", "Play"]);
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.motion), "reduce");
  await axe(frame);
});

hostTest("what is wrong with the address is said, and the rest is shown",
  frameAt("?embed=1&theme=mauve&panes=stage,clock#v1/munlock/0/6?pages=14"), async ({ page, frame }) => {
    await ready(page);
    const text = await frame.getByRole("alert").first().innerText();
    assert.match(text, /theme=mauve.*light or dark.*panes=stage,clock.*timeline/s);
    assert.equal((await got(page, "error")).filter(({ code }) => code === "address").length, 2);
    assert.ok(await frame.locator(".side.old .stage").isVisible());
  });

hostTest("a broken link is said, in the frame and to the host", frameAt("?embed=1#v1/munlock/0"), async ({ page, frame }) => {
  await heard(page, { type: "error", code: "link" });
  assert.match(await frame.getByRole("alert").first().innerText(), /could not be followed/);
  assert.ok(await frame.locator(".side.old .stage").isVisible());
});

hostTest("it runs in a sandbox", frameAt(`?embed=1${RUNS}`, { sandbox: "allow-scripts allow-same-origin" }), async ({ page }) => {
  await ready(page);
  assert.equal((await ask(page, "step")).place, 1);
});

test("a host without an origin of its own is answered", { timeout: LIMIT }, async () => {
  const page = await browser.newPage();
  const src = `${site.url}?embed=1${RUNS}`;
  await page.goto(`data:text/html,${encodeURIComponent("<!doctype html><title>host</title>")}`);
  await page.evaluate((src) => {
    window.got = [];
    window.addEventListener("message", ({ data }) => window.got.push(data));
    const frame = Object.assign(document.createElement("iframe"), { src });
    document.body.append(frame);
    window.send = (message) => frame.contentWindow.postMessage(message, "*");
  }, src);
  await ready(page);
  assert.equal((await ask(page, "step")).place, 1);
  await page.close();
});

// The element -----------------------------------------------------------------------------------------------------

const scope = (page) => page.locator("mm-scope").first();
const shiftsOf = (page) => page.addInitScript(() => {
  window.shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) window.shift += entry.value; }))
    .observe({ type: "layout-shift", buffered: true });
});

hostTest("the demonstration: two elements under a strict policy", "/example/", async ({ page }) => {
  await page.evaluate(() => Promise.all([...document.querySelectorAll("mm-scope")].map(async (one) => {
    one.scrollIntoView();
    await one.whenReady;
  })));
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction(() => document.getElementById("first").moment.place === 41);
  const [first, second] = await page.locator("mm-scope").evaluateAll((all) => all.map(({ moment }) => moment));
  assert.deepEqual([first.scenario, second.scenario, first.place], ["munlock", "lru-drain", 41]);
  await page.getByRole("button", { name: "To page 14" }).click();
  await page.getByText(/^page 14: old \d+, new \d+$/).waitFor();
  await page.getByRole("button", { name: "To the end" }).click();
  await page.waitForFunction(() => document.getElementById("second").moment.ended);
  assert.equal(await page.evaluate(() => document.getElementById("first").moment.milestone), "page 14", "each by itself");
  const boxes = await page.locator("mm-scope").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  assert.deepEqual(boxes, [452, 262]);
  assert.ok(await page.evaluate(() => window.shift) < 0.01, "nothing moved");
  await axe(page);
}, { prepare: shiftsOf });

hostTest("attributes are messages", `/element?${query({ scenario: "munlock", old: "0", new: "6", params: "pages=28", step: "9,9" })}`,
  async ({ page }) => {
    const set = (attributes) => scope(page).evaluate((one, attributes) => {
      Object.entries(attributes).forEach(([name, value]) => one.setAttribute(name, value));
    }, attributes);
    const moment = (accept) => page.waitForFunction((accept) => {
      const { moment } = document.querySelector("mm-scope");
      return moment && Object.entries(accept).every(([name, value]) => moment[name] === value) && moment;
    }, accept).then((handle) => handle.jsonValue());
    assert.deepEqual(at(await moment({ scenario: "munlock" })), [9, 9]);
    await set({ step: "41" });
    await moment({ place: 41 });
    await set({ scenario: "lru-drain", old: "sync", new: "async", params: "cpus=2", step: "3" });
    assert.equal((await moment({ scenario: "lru-drain" })).place, 3);
    await set({ theme: "dark", controls: "min" });
    await page.waitForFunction(() => document.querySelector("mm-scope").moment === null);
    assert.equal((await moment({ scenario: "lru-drain" })).place, 3, "at the same moment");
    const failed = await scope(page).evaluate((one) => new Promise((told) => {
      one.addEventListener("mmscope-error", ({ detail }) => told(detail));
      one.setAttribute("new", "nonsense");
    }));
    assert.deepEqual([failed.code, failed.type], ["load", "error"]);
  });

hostTest("methods answer", `/element?${query({ link: "#v1/munlock/0/6?pages=14" })}`, async ({ page }) => {
  const result = await scope(page).evaluate(async (one) => {
    const events = [];
    for (const type of ["step", "divergence"]) one.addEventListener(`mmscope-${type}`, () => events.push(type));
    const places = [(await one.step()).place, (await one.step(4)).place, (await one.seek(2)).place, (await one.seek("page 5")).milestone];
    const played = (await one.play(8)).playing, paused = (await one.pause()).playing;
    const loaded = (await one.load({ scenario: "munlock", old: "0", new: "7" })).new.variant;
    const refused = await one.seek([1e9, 1]).catch(({ code, field, message }) => ({ code, field, message }));
    return { places, played, paused, loaded, refused, events: [...new Set(events)].sort() };
  });
  assert.deepEqual({ ...result, refused: 0 }, {
    places: [1, 5, 2, "page 5"], played: true, paused: false, loaded: "7", refused: 0, events: ["divergence", "step"],
  });
  assert.deepEqual([result.refused.code, result.refused.field], ["range", "step"]);
});

hostTest("what stands inside is shown until the frame is ready", "/element?scenario=munlock&old=0&new=6", async ({ page }) => {
  const twin = page.getByText("the twin");
  await twin.waitFor();
  const before = await scope(page).boundingBox();
  await scope(page).evaluate((one) => one.whenReady);
  await twin.waitFor({ state: "hidden" });
  assert.deepEqual(await scope(page).boundingBox(), before);
}, {
  prepare: (page) => page.route("**/*.wasm", async (route) => {
    await new Promise((late) => setTimeout(late, 500));
    await route.continue();
  }),
});

hostTest("a frame that cannot be had leaves what stands inside", "/element?src=https://mmscope.invalid/&scenario=munlock&old=0&new=6",
  async ({ page }) => {
    await page.waitForTimeout(500);
    assert.ok(await page.getByText("the twin").isVisible());
  }, { allow: [/mmscope\.invalid/, /ERR_/] });

hostTest("Escape in an element gives it the focus, and the host its keys", "/element?scenario=munlock&old=0&new=6", async ({ page, frame }) => {
  await scope(page).evaluate((one) => one.whenReady);
  await page.frames().find((one) => one.url().startsWith(site.url)).getByRole("button", { name: "Step", exact: true }).click();
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await page.evaluate(() => window.keys), []);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.localName === "mm-scope");
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await page.evaluate(() => window.keys), ["ArrowRight"]);
});

test("the element is small, and the page's policy lets it be framed and nothing more", async () => {
  assert.ok((await stat(join(DIST, "mmscope.js"))).size < 6144);
  assert.ok((await stat(join(DIST, "mmscope.d.ts"))).isFile());
  const html = await (await fetch(site.url)).text();
  const policy = html.match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)[1];
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|frame-ancestors|https?:|\*/);
});
