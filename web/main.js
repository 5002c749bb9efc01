/* main.js -- opens the core, then keeps state, URL, form and the shown tab in step. */
import { openCurve } from "./curve.js";
import { download } from "./dom.js";
import { openForm } from "./form.js";
import { showSeconds } from "./format.js";
import { showPlan } from "./plan.js";
import { showTimeline } from "./timeline.js";
import { openPool } from "./pool.js";
import { commandLineOf, firstState, hashOfState, requestOf, stateOfHash } from "./state.js";

const byId = (id) => document.getElementById(id);
const typing = 250; // ms after a key before a plan is asked for

/** The module: base64 of gzip in a script element of this very file. */
async function unpackModule() {
  const packed = Uint8Array.from(atob(byId("core").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

/** Multipliers of a number of tokens, to tell how long a run takes. */
function tokensOf(text = "") {
  const [, number, unit] = /^([\d.]+)\s*([kMGT]?)/.exec(text) ?? [];
  return number ? Number(number) * { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[unit] : 0;
}

async function openPage() {
  const pool = openPool(await unpackModule(), byId("worker-source").textContent);
  const knobs = (await pool.ask({ command: "params" })).value;
  const panel = byId("plan-result"), banner = byId("banner"), bar = byId("progress");
  let state = stateOfHash(location.hash), last = null, timer = 0, urlTimer = 0, asked = 0, shown = 0, waiting = false;

  function fail(error) {
    const atField = error ? form.fail(error) : void form.clear();
    banner.textContent = error ? error.sentence : "";
    banner.classList.toggle("at-field", Boolean(atField));
    for (const result of [panel, byId("curve")]) result.classList.toggle("stale", Boolean(error));
  }

  /** The best layout alone is found sooner than its rivals: it is shown while they are searched. */
  async function preview(mine) {
    const answer = await pool.ask(requestOf(state, "explain"), { group: "plan" });
    if (!answer || mine !== asked || shown === mine || !answer.value.memory?.fits) return;
    fail(null);
    showPlan(panel, { best: answer.value, alternatives: [], pareto: [], search: null }, { ...view, tokens: tokensOf(state.tokens) });
    byId("plan-status").textContent = "searching for the layouts next to it…";
    document.documentElement.dataset.previewMs ??= performance.now().toFixed(0);
  }

  async function plan() {
    const mine = ++asked, began = performance.now();
    waiting = false;
    pool.cancel("plan");
    const progress = (share) => mine === asked && ((bar.hidden = false), (bar.value = share));
    preview(mine);
    const answer = await pool.ask(requestOf(state, "plan"), { group: "plan", progress });
    if (mine !== asked || !answer) return;
    bar.hidden = true;
    shown = mine;
    fail(answer.value.error ?? null);
    if (answer.value.error) return;
    last = answer;
    view.tokens = tokensOf(state.tokens);
    showPlan(panel, answer.value, view);
    byId("plan-status").textContent = `answered in ${showSeconds((performance.now() - began) / 1000)}`;
    document.documentElement.dataset.plan = String(mine);
    document.documentElement.dataset.planMs = performance.now().toFixed(0);
  }

  /** The flags of a layout; 0 recomputed layers is not a value but the lack of one. */
  const axes = ["dp", "zero", "hsdp", "tp", "sp", "cp", "cp_kind", "ep", "etp", "pp", "vpp", "schedule", "micro_batch", "recompute", "recompute_layers"];
  const flagsOf = (layout) => Object.fromEntries(axes.filter((axis) => axis !== "recompute_layers" || layout[axis] > 0)
    .map((axis) => [axis.replace("_", "-"), String(Number(layout[axis])).replace("NaN", layout[axis])]));

  const view = {
    /** Puts a layout into the form: the search then has one layout to price. */
    fix(layout) {
      Object.assign(state, flagsOf(layout));
      refresh(true);
    },
    async drawSteps(place, layout) {
      const { fix: _, not: __, ...request } = requestOf({ ...state, ...flagsOf(layout) }, "timeline");
      const answer = await pool.ask(request);
      if (answer?.value.error) place.textContent = answer.value.error.sentence;
      else if (answer) showTimeline(place, answer.value);
    },
  };

  function refresh(settled) {
    form.show(state);
    byId("command").textContent = commandLineOf(state);
    showConfig();
    clearTimeout(urlTimer);
    urlTimer = setTimeout(() => history.replaceState(null, "", hashOfState(state)), 150);
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const open = tab.dataset.tab === state.tab;
      tab.setAttribute("aria-selected", String(open));
      tab.tabIndex = open ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !open;
    }
    clearTimeout(timer);
    byId("group-SCALING").hidden = state.tab !== "curve";
    if (state.tab === "curve") curve.show(state);
    else timer = setTimeout(plan, settled ? 0 : typing);
    waiting = state.tab !== "curve";
  }

  function set(flag, value, settled = false) {
    const same = (state[flag] ?? "") === value;
    if (same && !(settled && waiting)) return;
    if (flag === "model") delete state.config;
    state[flag] = value;
    if (!value) delete state[flag];
    refresh(settled);
  }

  async function takeConfig(file) {
    if (!file) return;
    const text = await file.text();
    state.model = file.name;
    try {
      state.config = JSON.stringify(JSON.parse(text)); // short enough for a link
    } catch {
      state.config = text; // the core says line and column
    }
    refresh(true);
  }

  function showConfig() {
    byId("config-chip").hidden = !state.config;
    byId("config-name").textContent = state.config ? state.model : "";
  }

  const open = (gpus) => { state.tab = "plan"; state.gpus = String(gpus); refresh(true); };
  const form = openForm(byId("form"), knobs, set, takeConfig);
  const curve = openCurve(byId("curve"), pool, knobs, { set, fail, open });
  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => { state.tab = tab.dataset.tab; refresh(true); });
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (step) { const next = tabs[(i + step + tabs.length) % tabs.length]; next.click(); next.focus(); }
    });
  }
  byId("config-drop").addEventListener("click", () => { delete state.config; state.model = firstState.model; refresh(true); });
  byId("copy").addEventListener("click", () => navigator.clipboard?.writeText(byId("command").textContent));
  byId("keep-json").addEventListener("click", () => last && download("plan.json", "application/json", last.text));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); takeConfig(event.dataTransfer.files[0]); });
  addEventListener("hashchange", () => { state = stateOfHash(location.hash); refresh(true); });
  /* for the browser's console and for tests: await ceiling.ask({ command: "plan", ... }) */
  globalThis.ceiling = { ask: async (request) => (await pool.ask(request)).text };
  byId("question").open = !matchMedia("(max-width: 46rem)").matches;
  byId("version").textContent = `${knobs.ceiling}`;
  byId("opening").remove();
  document.documentElement.dataset.openMs = performance.now().toFixed(0);
  refresh(true);
}

openPage().catch((fault) => {
  byId("opening").textContent = `This page needs WebAssembly and DecompressionStream (browsers since 2023): ${fault.message}`;
});
