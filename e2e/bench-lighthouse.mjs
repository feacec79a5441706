// Lighthouse's scores of the start page and of a link, as a desktop and as a mobile phone.
import lighthouse, { desktopConfig } from "lighthouse";
import { launch as launchChrome } from "chrome-launcher";

const CATEGORIES = ["performance", "accessibility", "best-practices"];
const PAGES = { "start page": "", "a link": "#v1/munlock/0/6" };
const FORMS = { desktop: desktopConfig, mobile: undefined };
const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const AIMS = { performance: 90, accessibility: 100, "best-practices": 100 };

// What keeps a page from the full score, for those who mend it.
function complaints({ audits, categories }) {
  return ["accessibility", "best-practices"].flatMap((name) => categories[name].auditRefs)
    .filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1)
    .map(({ id }) => `  ${id}: ${audits[id].title} ${JSON.stringify(audits[id].details?.items?.slice(0, 3) ?? [])}`);
}

async function score(chrome, url, config) {
  const options = { port: chrome.port, output: "json", logLevel: "silent", onlyCategories: CATEGORIES };
  const { lhr } = await lighthouse(url, options, config);
  const values = Object.fromEntries(CATEGORIES.map((name) => [name, String(Math.round(lhr.categories[name].score * 100))]));
  const paint = lhr.audits["largest-contentful-paint"].numericValue;
  const blocked = lhr.audits["total-blocking-time"].numericValue;
  return { values: { ...values, "largest paint": `${Math.round(paint)} ms`, "blocked": `${Math.round(blocked)} ms` }, lhr };
}

export async function scores(url) {
  const rows = [];
  const aim = CATEGORIES.map((name) => AIMS[name]).join(", ");
  for (const [form, config] of Object.entries(FORMS)) {
    for (const [name, path] of Object.entries(PAGES)) {
      const chrome = await launchChrome({ chromePath: process.env.CHROMIUM, chromeFlags: FLAGS, logLevel: "silent" });
      try {
        const { values, lhr } = await score(chrome, url + path, config);
        rows.push({ name: `${name}, ${form}`, values, aim });
        for (const line of complaints(lhr)) console.log(line);
      } finally {
        await chrome.kill();
      }
    }
  }
  return rows;
}
