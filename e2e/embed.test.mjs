// The page in a frame of a page on another origin: messages, keys, rest, the way out.
import assert from "node:assert/strict";
import { axe } from "./harness.mjs";
import { HOSTILE } from "./embed-hostile.mjs";
import {
  ask, at, frameAt, got, heard, hostTest, LOADED, query, ready, RUNS, site, useHost,
} from "./embed-view.mjs";

useHost();

const NINE = frameAt(`?embed=1${RUNS}&step=9,9`);

hostTest("ready comes once, and each ping is answered", NINE, async ({ page, frame }) => {
  const hello = await ready(page);
  assert.deepEqual([hello.mmscope, hello.scenario, at(hello)], [1, "munlock", [9, 9]]);
  assert.equal(hello.origin, new URL(site.url).origin);
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
  const runs = { scenario: "munlock", old: "0", new: "6", params: { pages: 28 } };
  let answer = await ask(page, "load", { ...runs, step: [3, 2] });
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
  await page.waitForFunction((place) => window.got.some((one) => one.playing && one.place > place + 3), place);
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
  assert.deepEqual([broken.side, broken.step, broken.input], ["new", end.new.step, false]);
  assert.match(broken.rule, /\w/);
});

hostTest("hostile messages change nothing and are answered", NINE, async ({ page, frame }) => {
  const before = await ready(page);
  const shown = await frame.locator("#app").innerHTML();
  for (const [code, expected] of HOSTILE) {
    const from = (await got(page)).length;
    await page.evaluate(`window.send(${code})`);
    const pong = await ask(page, "ping");
    assert.deepEqual(at(pong), at(before), code);
    const answers = (await got(page)).slice(from).filter(({ type }) => type !== "pong");
    assert.deepEqual(answers.map((one) => one.code), expected ? [expected] : [], code);
    assert.ok(answers.every(({ message }) => message.length < 2000 && !message.includes("<script")), code);
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

hostTest("a flood is dropped, told, and survived", LOADED, async ({ page }) => {
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

hostTest("a frame writes no address, no history and no storage", LOADED, async ({ page, frame }) => {
  await ready(page);
  const [url, entries] = [frame.url(), await page.evaluate(() => history.length)];
  await frame.getByRole("button", { name: "Step", exact: true }).click();
  const keys = ["ArrowRight", "End", "n", "3", "d", "i", "Escape", "l", "?", "e", "t", "/"];
  for (const key of keys) await page.keyboard.press(key);
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

hostTest("keys are taken only inside, and only those that do something", LOADED, async ({ page, frame }) => {
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

hostTest("Escape first closes what is open", LOADED, async ({ page, frame }) => {
  await ready(page);
  await frame.locator(".tile[data-page]").first().click();
  await frame.locator(".inspect").first().waitFor();
  await page.keyboard.press("Escape");
  await frame.locator(".inspect").waitFor({ state: "hidden" });
  assert.equal((await got(page, "blur")).length, 0);
  await page.keyboard.press("Escape");
  await heard(page, { type: "blur" });
});

hostTest("out of sight it rests, and goes on when seen again", LOADED, async ({ page }) => {
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

hostTest("nothing plays by itself", LOADED, async ({ page }) => {
  assert.equal((await ready(page)).playing, false);
  await page.waitForTimeout(600);
  assert.equal((await got(page, "step")).length, 0);
});

const BARE = frameAt(`?embed=1&controls=none${RUNS}`);

hostTest("the link opens the whole page at the same moment", BARE, async ({ page, frame, context }) => {
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

const FEW = frameAt("?embed=1&panes=ledger&controls=min&motion=reduce");

hostTest("only what was asked for is shown", FEW, async ({ page, frame }) => {
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

const BROKEN = frameAt("?embed=1#v1/munlock/0");

hostTest("a broken link is said, in the frame and to the host", BROKEN, async ({ page, frame }) => {
  await heard(page, { type: "error", code: "link" });
  assert.match(await frame.getByRole("alert").first().innerText(), /could not be followed/);
  assert.ok(await frame.locator(".side.old .stage").isVisible());
});

const SANDBOX = frameAt(`?embed=1${RUNS}`, { sandbox: "allow-scripts allow-same-origin" });

hostTest("it runs in a sandbox", SANDBOX, async ({ page }) => {
  await ready(page);
  assert.equal((await ask(page, "step")).place, 1);
});

// Neither the host nor the frame in it has an origin then, and the browser gives them no storage.
const OPAQUE = LOADED.replace("/frame", "/opaque");

hostTest("a host without an origin of its own is answered", OPAQUE, async ({ page }) => {
  assert.equal(await page.evaluate(() => origin), "null");
  assert.equal((await ready(page)).origin, "null");
  assert.equal((await ask(page, "step")).place, 1);
});
