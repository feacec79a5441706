// Starts the app, and says so in the page when that fails or when the app stops on an error.
(function () {
  "use strict";

  const failure = document.getElementById("failure");
  const loading = document.getElementById("loading");

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
    try {
      const module = await import(document.getElementById("app-js").href);
      await module.default({ module_or_path: document.getElementById("app-wasm").href });
      loading.hidden = true;
    } catch (error) {
      fail("The simulation could not be loaded.", String(error));
    }
  }

  start();
})();
