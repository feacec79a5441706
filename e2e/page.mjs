// What the tests of the page do again and again.
import assert from "node:assert/strict";

export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const scrubber = (page) => page.getByRole("slider", { name: "Step" });
export const tile = (page, side, number) => page.locator(`.side.${side} .tile[data-page="${number}"]:not(.ref)`);

// Steps of both sides, from an event's detail.
export const at = (detail) => [detail.old.step, detail.new.step];

// The detail of the first step event that `act` brings about.
export async function stepAfter(view, act) {
  const past = new Set(view.events.map(({ detail }) => detail));
  await act();
  return view.waitFor("mmscope:step", (detail) => !past.has(detail));
}

export const press = (view, key) => stepAfter(view, () => view.page.keyboard.press(key));

// The pages that both walks are at, by the large numbers of the address spaces.
export async function sameMilestone(page) {
  const counts = await Promise.all(["old", "new"].map((side) => page.locator(`.side.${side} text.cnt`).first().innerHTML()));
  assert.equal(counts.length, 2);
  return counts;
}

// Waits until the address says so.
export const addressed = (page, pattern) => page.waitForURL(pattern);
