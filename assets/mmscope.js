// <mm-scope>, two runs of mmscope in any page: docs/embedding.md.
const RUN = ["scenario", "old", "new", "params", "schedule", "link"];
const VIEW = ["theme", "controls", "panes", "motion"];

// A constructed sheet is allowed where inline styles are not.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:host { display: block; position: relative; height: 450px }
:host([hidden]) { display: none }
div { height: 100%; overflow: auto }
iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; visibility: hidden }
.ready { visibility: visible }
.ready + div { visibility: hidden }`);

// "pages=112 holes=5,11"
const pairs = (text) => new URLSearchParams(text?.trim().replace(/[\s;]+/g, "&"));

export class MmScope extends HTMLElement {
  static observedAttributes = [...RUN, ...VIEW, "src", "step"];
  moment = null;
  whenReady;
  #greet;
  #frame = null;
  #fresh;
  #size = new CSSStyleSheet();
  #asked = new Map();
  #last = 0;
  #changed = new Set();

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" }), shown = document.createElement("div");
    root.adoptedStyleSheets = [sheet, this.#size];
    root.append(shown);
    shown.append(document.createElement("slot")); // until ready
    this.#wait();
  }

  play(speed) { return this.#ask("play", { speed }); }
  pause() { return this.#ask("pause"); }
  step(by = 1) { return this.#ask("step", { by }); }
  load(what) { return this.#ask("load", typeof what === "string" ? { link: what } : what); }
  seek(to) {
    if (typeof to === "string") to = { milestone: to };
    return this.#ask("seek", typeof to === "number" || Array.isArray(to) ? { step: to } : to);
  }

  connectedCallback() {
    addEventListener("message", this);
    this.#resize(this.#get("height"));
    this.#open();
  }

  disconnectedCallback() {
    removeEventListener("message", this);
    this.#close();
  }

  attributeChangedCallback(name, before, after) {
    if (before === after || !this.#frame) return;
    if (!this.#changed.size) queueMicrotask(() => this.#change());
    this.#changed.add(name);
  }

  handleEvent({ source, origin, data }) {
    if (source !== this.#frame?.contentWindow || origin !== this.#base.origin || data?.mmscope !== 1) return;
    const { type, id } = data, asked = this.#asked.get(id);
    if (type === "blur") {
      this.tabIndex = -1;
      this.focus({ preventScroll: true });
    }
    if (data.link) this.moment = data;
    if (type === "ready") this.#begin();
    if (type === "resize" && this.#get("height") === "auto") this.#resize(data.height);
    this.#tell(type, data);
    this.#asked.delete(id);
    type === "error" ? asked?.reject(Object.assign(new Error(), data)) : asked?.resolve(data);
  }

  #get(name) { return this.getAttribute(name) ?? undefined; }
  #run() { return RUN.map((name) => this.#get(name)); }
  // "41": presses of Step; "647,311": steps of each side.
  #place() {
    const [first, second] = this.#get("step")?.split(",").map(Number) ?? [];
    return second === undefined ? first : [first, second];
  }
  get #base() { return new URL(this.#get("src") ?? new URL(".", import.meta.url), document.baseURI); }
  #tell(type, detail) { this.dispatchEvent(new CustomEvent(`mmscope-${type}`, { detail, bubbles: true })); }
  #wait() { this.whenReady = new Promise((done) => this.#greet = done); }

  async #ask(type, fields) {
    await this.whenReady;
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      setTimeout(() => this.#asked.delete(id) && reject(new Error("no answer")), 3e4);
      this.#frame?.contentWindow.postMessage({ ...fields, mmscope: 1, type, id }, this.#base.origin);
    });
  }

  // Links have no place that is one number.
  async #begin() {
    const frame = this.#frame, step = this.#place();
    this.#greet();
    if (this.#fresh && step >= 0) await this.seek(step).catch(() => {});
    this.#fresh = false;
    frame.className = "ready";
  }

  #hash() {
    const [scenario, old, now, params, schedule, link] = this.#run(), step = this.#get("step");
    if (link || !scenario) return link ?? this.#base.hash;
    const query = pairs(params);
    if (schedule) query.set("schedule", schedule);
    if (step?.includes(",")) query.set("step", step);
    return `v1/${[scenario, old, now].map(encodeURIComponent).join("/")}?${query}`;
  }

  #open(here) {
    const url = this.#base, hash = here ?? this.#hash();
    if (!url.protocol.startsWith("http")) return;
    const views = VIEW.map((name) => [name, this.#get(name)]).filter((one) => one[1]);
    url.search = new URLSearchParams([["embed", 1], ...views]);
    url.hash = hash.slice(hash.indexOf("#") + 1);
    this.#fresh = !here;
    const title = this.title || ["mmscope", ...this.#run().slice(0, 3)].join(" ");
    this.#frame = Object.assign(document.createElement("iframe"), { title, loading: "lazy", src: url.href });
    this.shadowRoot.prepend(this.#frame);
  }

  #close() {
    this.#frame?.remove();
    this.#frame = this.moment = null;
    for (const { reject } of this.#asked.values()) reject(new Error("closed"));
    this.#asked.clear();
    this.#wait();
  }

  #resize(height) { this.#size.replaceSync(height > 0 ? `:host { height: ${+height}px }` : ""); }

  #change() {
    const any = (...names) => names.some((name) => changed.has(name)), changed = this.#changed;
    this.#changed = new Set();
    if (!this.#frame) return;
    const [scenario, old, now, more, schedule, link] = this.#run(), step = this.#place();
    const params = Object.fromEntries(pairs(more)), quiet = () => {}; // mmscope-error tells
    if (any(...VIEW, "src")) {
      const here = any(...RUN, "src") ? undefined : this.moment?.link;
      this.#close();
      this.#open(here);
    } else if (any(...RUN)) {
      this.load(link ?? { scenario, old, new: now, params, schedule, step }).catch(quiet);
    } else if (step !== undefined) this.seek(step).catch(quiet);
  }
}

customElements.get("mm-scope") ?? customElements.define("mm-scope", MmScope);
