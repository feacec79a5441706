// Starts the app, and says so in the page when that fails or when the app stops on an error.
(function () {
  "use strict";

  const failure = document.getElementById("failure");
  const loading = document.getElementById("loading");

  const root = document.documentElement;

  const startPage = document.getElementById("start-page").content.querySelector("#start");

  const embedded = new URLSearchParams(location.search).get("embed") === "1";

  // The start page is in the document while the address names no moment. A page within another has none.
  function place() {
    const start = location.hash.length < 2 && !embedded;
    const came = start && !root.hasAttribute("data-start");
    root.toggleAttribute("data-start", start);
    if (start) document.getElementById("app").before(startPage);
    else startPage.remove();
    if (start) document.title = "mmscope: watch Linux memory management";
    return came;
  }

  place();
  addEventListener("hashchange", () => {
    if (!place()) return;
    scrollTo(0, 0);
    document.getElementById("start-title").focus();
  });

  // The reader's theme before the first picture; the app keeps it afterwards. A frame reads nothing that is stored.
  if (!embedded) try {
    const theme = /theme=(light|dark)/.exec(localStorage.getItem("mmscope.settings") ?? "");
    if (theme) root.setAttribute("data-theme", theme[1]);
  } catch {
    // A browser that keeps nothing has no theme of ours either.
  }

  function add(tag, text, properties) {
    const element = Object.assign(document.createElement(tag), properties);
    element.textContent = text;
    failure.append(element, " ");
  }

  // The first failure is the cause; those after it are its consequences.
  function fail(title, detail) {
    loading.hidden = true;
    if (!failure.hidden) return;
    failure.hidden = false;
    add("h2", title, {});
    add("pre", detail, {});
    add("button", "Reload", { type: "button", onclick: () => location.reload() });
    // Without the hash: a state that stops the app would stop it again.
    if (location.hash) add("a", "Start over", { href: location.pathname + location.search });
    document.dispatchEvent(new CustomEvent("mmscope:error", { detail: { title, message: detail } }));
    // The host of a frame hears of it too: docs/embedding.md.
    if (parent !== window && /[?&]embed=1(&|$)/.test(location.search)) {
      parent.postMessage({ mmscope: 1, type: "error", code: "failed", message: `${title} ${detail}` }, "*");
    }
  }

  // Called by the app's panic hook.
  window.mmscopePanic = (message) => fail("The simulation stopped on an error of its own.", String(message));

  async function start() {
    if (location.protocol === "file:") {
      return fail("This page cannot run from a file.", "Serve the folder over HTTP, for example with `cargo xtask serve`.");
    }
    if (typeof WebAssembly !== "object") {
      return fail(
        "This browser cannot run the simulation.",
        "mmscope needs WebAssembly, which is missing or switched off here. Current Firefox, Chromium and Safari have it.",
      );
    }
    loading.hidden = false;
    // The start page needs no program to be seen: it has the line for itself until it is.
    if (root.hasAttribute("data-start")) await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    const wasm = fetch(document.getElementById("app-wasm").href);
    // It is awaited below, which a script that is late must not make too late.
    wasm.catch(() => {});
    try {
      const module = await import(document.getElementById("app-js").href);
      await module.default({ module_or_path: wasm });
      loading.hidden = true;
    } catch (error) {
      fail("The simulation could not be loaded.", String(error));
    }
  }

  start();
})();
