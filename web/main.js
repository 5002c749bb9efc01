/* main.js -- opens the core, then keeps state, URL, form and the shown tab in step. */
import { openCurve } from "./curve.js";
import { element } from "./dom.js";
import { openEconomics } from "./economics.js";
import { openForm } from "./form.js";
import { glossary } from "./glossary.js";
import { openPlan } from "./planning.js";
import { openPool } from "./pool.js";
import { runsIn } from "./runs.js";
import { asksTable, commandLineOf, commandOf, firstState, hashOfState, keepText, keyOf, learnFlags, stateOfHash, stateOfRequest, takes } from "./state.js";
import { openTrace } from "./trace.js";

const byId = (id) => document.getElementById(id);

/** What a script element of this very file holds: base64 of gzip. */
function unpackPart(id) {
  const packed = Uint8Array.from(atob(byId(id).textContent.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
}
const unpackModule = async () => WebAssembly.compile(await (await unpackPart("core")).arrayBuffer());

/** What the command line answered, when it wrote this page: {request, answer as text}. */
function reportOf() {
  const text = byId("report").textContent.trim();
  return text ? JSON.parse(text) : null;
}

/** All files of what was dropped, those in folders too. */
async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean), files = [];
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  const walk = async (entry) => {
    if (entry.isFile) return void files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    const reader = entry.createReader();
    for (let some = await readSome(reader); some.length; some = await readSome(reader)) for (const one of some) await walk(one);
  };
  for (const entry of entries) await walk(entry);
  return files;
}
const readSome = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

/** What a table's first line asks: jobs, served models, rates by the hour, or single requests; null: none of these. */
function questionOf(line) {
  const names = line.toLowerCase().split(/[,|;\t]/).map((name) => name.replaceAll('"', "").trim()), has = (...some) => some.some((name) => names.includes(name));
  if (has("jobid", "job_id", "gpu_hours") || (has("model") && has("tokens", "steps"))) return "portfolio";
  if (has("model") && !names.some((name) => /time|arrival/.test(name))) return "fleet";
  return names.some((name) => name.startsWith("hour")) ? "profile" : names.some((name) => /time|arrival/.test(name)) ? "trace" : null;
}

/** What a dropped file is: a recording, a table, files of a job, or a model's configuration. */
async function kindOf(file, tab) {
  if (/\.(sh|sbatch|slurm|ya?ml|toml|py)$/i.test(file.name)) return "job";
  if (/\.(gz|zip|sqlite|sqlite3|db|et|log|out|txt)$/i.test(file.name)) return "recording";
  if (/\.(csv|jsonl)$/i.test(file.name)) return tab === "trace" ? "recording" : "table";
  const head = await file.slice(0, 1 << 16).text();
  return tab === "trace" || /"traceEvents"|"schemaVersion"|"seq_id"|"ctrl_deps"/.test(head) ? "recording" : "config";
}

async function openPage() {
  const pool = openPool(await unpackModule(), byId("worker-source").textContent);
  const report = reportOf(), { tab: _, to: __, ...first } = firstState;
  if (location.hash.length < 2 && !report) pool.ask({ command: "explain", ...first }); // a worker would stand idle beside the next question
  const knobs = (await pool.ask({ command: "params" })).value;
  const banner = byId("banner");
  learnFlags(knobs.commands);
  const opened = report ? stateOfRequest(report.request) : {};
  let state = location.hash.length > 1 || !report ? stateOfHash(location.hash) : opened, urlTimer = 0, rested = false;
  let begun = true; // the entry of the history that is shown may be written over
  if (report && report.request.command !== "trace") pool.learn(report.request, report.answer);

  function fail(error) {
    const atField = error ? form.fail(error) : void form.clear();
    banner.textContent = error ? error.sentence : "";
    banner.classList.toggle("at-field", Boolean(atField));
    for (const result of [byId("plan-result"), byId("curve")]) result.classList.toggle("stale", Boolean(error));
  }

  function showTabs() {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const open = tab.dataset.tab === state.tab;
      tab.setAttribute("aria-selected", String(open));
      tab.tabIndex = open ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !open;
    }
    document.body.dataset.tab = state.tab;
  }

  /** The link, and a step that Back undoes: one for each change that came to rest, none for what a drag passes. */
  function remember(settled) {
    rested ||= settled;
    clearTimeout(urlTimer);
    urlTimer = setTimeout(() => {
      const hash = hashOfState(state);
      if (hash !== location.hash) history[begun ? "replaceState" : "pushState"](null, "", hash);
      begun = !rested;
      rested = false;
    }, 150);
  }

  function refresh(settled) {
    if (!views[state.tab]) state.tab = "plan";
    if (state.tab === "economics") Object.assign(state, economics.beginning(state));
    if (shownTab !== state.tab) fail(null);
    shownTab = state.tab;
    form.show(state, commandOf(state));
    byId("command").textContent = commandLineOf(state, trace.names());
    byId("config-chip").hidden = !state.config;
    byId("config-name").textContent = state.config ? state.model : "";
    remember(settled);
    showTabs();
    views[state.tab](settled);
  }

  function set(flag, value, settled = false) {
    const same = (state[flag] ?? "") === value;
    if (same && !(settled && plan.waits())) return;
    if (flag === "model") {
      delete state.config;
      byId("job").replaceChildren();
    }
    state[flag] = value;
    delete state[`${flag}-text`]; // a name now, not the file of before
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

  /** A flag that names a file takes this one; one of two: rates by the hour or single requests. */
  async function takeFile(flag, file) {
    const key = keyOf(commandOf(state), flag);
    delete state[key];
    delete state[`${key}-text`];
    if (file) keepText(state, key, file.name, await file.text());
    refresh(true);
  }

  async function takeTable(file, asked) {
    const question = asked ?? questionOf((await file.slice(0, 4096).text()).split("\n")[0]) ?? "trace";
    if (asksTable(question)) {
      Object.assign(state, { tab: "economics", money: question });
      keepText(state, `${question}.table`, file.name, await file.text());
      return refresh(true);
    }
    for (const flag of ["trace", "trace-text", "profile", "profile-text", "rate"]) delete state[flag];
    Object.assign(state, { tab: "economics", money: "demand" });
    await takeFile(question, file);
  }

  /** The question of a job's files takes the place of the one before; what they leave open is said. */
  async function takeJob(files) {
    const given = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
    const { value } = await pool.ask({ command: "read", files: given });
    if (value.error) return fail(value.error);
    const { model, config, ...flags } = value.flags ?? {};
    state = { tab: "plan", to: state.to, model: config ? files[0].name : model ?? state.model, ...(config && { config }) };
    for (const [flag, said] of Object.entries(flags)) if (takes("plan", flag)) state[flag] = said;
    const open = [...value.doubts, ...value.not_known].map(({ key, why }) => `${key}: ${why}`);
    if (!model && !config) open.unshift("model: name it, or drop its config.json");
    for (const name of ["gpus", "seq", "global-batch"]) if (!flags[name]) open.push(`${name}: not in the files`);
    byId("job").replaceChildren(`Read from ${files.map(({ name }) => name).join(", ")} (${value.format}): ${value.fields.length} values, ${value.assumed.length} more assumed. `
      + (open.length ? `Look at ${open.join(" · ")}. ` : ""), element("code", {}, `ceiling read ${files.map(({ name }) => name).join(" ")}`), " lists them.");
    refresh(true);
  }

  async function takeDropped(transfer) {
    const files = await filesOf(transfer), kinds = await Promise.all(files.map((file) => kindOf(file, state.tab)));
    const recordings = files.filter((_, i) => kinds[i] === "recording");
    if (recordings.length) {
      state.tab = "trace";
      trace.take(recordings);
      return refresh(true);
    }
    if (kinds.includes("job")) return takeJob(files.filter((_, i) => kinds[i] === "job" || kinds[i] === "config"));
    const table = files[kinds.indexOf("table")], config = files[kinds.indexOf("config")];
    return table ? takeTable(table) : takeConfig(config);
  }

  /** For those who hear the page. */
  const say = (words) => { byId("said").textContent = words; };
  const form = openForm(byId("form"), knobs, set, takeConfig, takeFile);
  const plan = openPlan(byId("plan"), pool, { fail, say, fix: (flags) => { Object.assign(state, flags); refresh(true); } });
  const change = (some) => { Object.assign(state, some); refresh(true); };
  const curve = openCurve(byId("curve"), pool, knobs, { set, fail, say, runs: unpackPart("runs").text().then(runsIn), open: (gpus) => change({ tab: "plan", gpus: String(gpus) }) });
  const economics = openEconomics(byId("economics"), pool, { takeTable, fail, say, change, open: (some) => change({ tab: "plan", ...some }) });
  const trace = openTrace(byId("trace"), pool, { fail, say, planText: () => plan.bestText(), namesChanged: () => { byId("command").textContent = commandLineOf(state, trace.names()); } });
  const views = { plan: (settled) => plan.show(state, settled), curve: () => curve.show(state), economics: (settled) => economics.show(state, settled), trace: () => trace.shown() };
  let shownTab = null;

  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => { state.tab = tab.dataset.tab; refresh(true); });
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (step) { const next = tabs[(i + step + tabs.length) % tabs.length]; next.click(); next.focus(); }
    });
  }
  byId("config-drop").addEventListener("click", () => { delete state.config; state.model = firstState.model; refresh(true); });
  byId("skip").addEventListener("click", () => document.querySelector("main").focus());
  byId("copy").addEventListener("click", () => navigator.clipboard?.writeText(byId("command").textContent));
  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dragging"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dragging"); });
  addEventListener("drop", (event) => { event.preventDefault(); document.body.classList.remove("dragging"); takeDropped(event.dataTransfer); });
  addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!event.target.closest?.("input, textarea") && text.trim().includes("\n") && questionOf(text.split("\n")[0])) takeTable(new File([text], "pasted.csv"));
  });
  addEventListener("hashchange", () => { begun = true; state = stateOfHash(location.hash); refresh(true); });
  /* for the browser's console and for tests: await ceiling.ask({ command: "plan", ... }) */
  globalThis.ceiling = { ask: async (request) => (await pool.ask(request)).text };
  byId("question").open = !matchMedia("(max-width: 46rem)").matches;
  byId("copy").closest("footer").append(glossary());
  byId("version").textContent = `${knobs.ceiling}`;
  const asleep = report?.request.command === "scale" && location.hash.length < 2; // its curve would be searched again
  const wake = element("button", { type: "button", id: "wake", onclick: () => { wake.remove(); document.body.classList.remove("asleep"); refresh(true); } }, "change the question: searches every size again");
  if (report) byId("opening").replaceWith(element("p", { class: "status", id: "from" }, `A report of: ${commandLineOf(opened, report.request.files)} `, asleep && wake));
  else byId("opening").remove();
  document.documentElement.dataset.openMs = performance.now().toFixed(0);
  if (report?.request.command === "trace") trace.learn(report.answer, report.request.files);
  if (asleep) document.body.classList.add("asleep");
  else refresh(true);
}

openPage().catch((fault) => {
  byId("opening").textContent = `This page needs WebAssembly and DecompressionStream (browsers since 2023): ${fault.message}`;
});
