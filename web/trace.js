/* trace.js -- recordings of a job: dropped, read by the core in this page, shown rank by rank. */
import { element } from "./dom.js";
import { csvOf, exportButtons, pictureDetails } from "./export.js";
import { stackedFigure } from "./figure.js";
import { showFlops, showRate, showSeconds, showShare, showSize, showWhole } from "./format.js";
import { tile } from "./glossary.js";
import { showTimeline } from "./timeline.js";

const ledgerParts = [
  ["compute", "compute", "t0"], ["transfer", "exposed transfer", "t1"], ["waiting", "waiting for other ranks", "t4"],
  ["exposed", "exposed communication", "t1"], ["copies", "exposed copies", "t8"], ["loading", "idle: data loader", "t3"], ["allocator", "idle: allocator", "t7"], ["launch", "idle: before the next launch", "t2"], ["idle", "idle", "t6"],
].map(([key, words, color]) => ({ key, words, color }));

/** The parts of one rank's time that make its span; waiting and kinds of idling only where they are known. */
function valuesOf(r) {
  const split = r.exposed_waiting_s !== null, idle = r.idle_launch_s !== null;
  return {
    compute: r.compute_s, copies: r.exposed_copy_s,
    transfer: split ? r.exposed_transfer_s : 0, waiting: split ? r.exposed_waiting_s : 0, exposed: split ? 0 : r.exposed_communication_s,
    loading: idle ? r.idle_data_loading_s : 0, allocator: idle ? r.idle_allocator_s : 0, launch: idle ? r.idle_launch_s : 0, idle: idle ? r.idle_other_s : r.idle_s,
  };
}

const rankName = (r) => (r.rank === null ? r.file.split("/").at(-1) : `rank ${r.rank}`);
const cells = (row, words = 1) => row.map((cell, i) => element(i < words ? "th" : "td", i < words ? { scope: "row" } : { class: "number" }, cell));

function tableView(caption, heads, rows, words = 1, most = 30) {
  if (!rows.length) return null;
  const body = element("tbody", {}, rows.slice(0, most).map((row) => element("tr", {}, cells(row, words))));
  const rest = rows.length > most && element("button", { type: "button", class: "small", onclick: () => { body.append(...rows.slice(most).map((row) => element("tr", {}, cells(row, words)))); rest.remove(); } }, `all ${showWhole(rows.length)} rows`);
  return element("div", { class: "scroll" }, element("table", { class: heads[0] === "name" ? "list" : "list words" }, element("caption", {}, element("span", { class: "cap" }, caption)),
    element("thead", {}, element("tr", {}, heads.map((head, i) => element("th", { scope: "col", class: i < words ? null : "number" }, head)))), body), rest);
}

const middleOf = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? null;

/** Collectives of one operation, size and width as a row. */
function collectiveRows(collectives) {
  const kinds = new Map();
  for (const c of collectives) {
    const key = `${c.operation ?? c.name}/${c.bytes}/${c.group_size ?? c.ranks}`;
    if (!kinds.has(key)) kinds.set(key, []);
    kinds.get(key).push(c);
  }
  const known = (list, key) => list.map((c) => c[key]).filter((v) => v !== null && v !== undefined);
  return [...kinds.values()].map((list) => {
    const transfers = known(list, "transfer_s"), skews = known(list, "skew_s"), rates = known(list, "bus_bytes_per_s");
    return { bytes: list[0].name === "nccl-tests" ? list[0].bytes : null, total: transfers.reduce((a, b) => a + b, 0), row: [list[0].operation ?? list[0].name, showSize(list[0].bytes), list[0].group_size ?? list[0].ranks ?? "?", showWhole(list.length),
      transfers.length ? showSeconds(middleOf(transfers)) : "?", rates.length ? showRate(middleOf(rates)) : "?", skews.length ? showSeconds(skews.reduce((a, b) => a + b, 0) / skews.length) : "?"] };
  }).sort((a, b) => (a.bytes !== null && b.bytes !== null ? a.bytes - b.bytes : b.total - a.total)).map(({ row }) => row);
}

function whatIfView(w) {
  if (!w || w.replayed_s === undefined || w.replayed_s === null) return null;
  const changes = [["without_straggler_s", "no straggler: collectives start at the median arrival"], ["worst_rank_on_time_s", w.worst_rank === null || w.worst_rank === undefined ? "the worst rank is never late" : `rank ${w.worst_rank} is never late`],
    ["free_communication_s", "communication is free, ranks still wait for each other"], ["perfect_overlap_s", "communication overlaps perfectly"]];
  const hosts = w.hosts_as_recorded ?? {}, said = (of, key) => (of[key] === null || of[key] === undefined ? "?" : `${showSeconds(of[key])}, ${((of.replayed_s ?? w.replayed_s) / of[key]).toFixed(2)} ×`);
  return tableView(`what if (replayed ${showSeconds(w.replayed_s)}, recorded ${showSeconds(w.recorded_s)})`, ["change", "hosts as recorded", "hosts keep ahead"], changes.map(([key, words]) => [words, said(hosts, key), said(w, key)]));
}

const signed = (seconds) => `${seconds < 0 ? "−" : "+"}${showSeconds(Math.abs(seconds))}`;

function planView(p) {
  if (!p) return null;
  return [tableView(`beside the plan ${p.file ?? ""}: predicted ${showSeconds(p.predicted_step_s)}, measured ${showSeconds(p.measured_step_s)}`, ["term of a step", "predicted", "measured", "measured − predicted"],
    p.terms.map((t) => [t.term, showSeconds(t.predicted_s), showSeconds(t.measured_s), signed(t.measured_s - t.predicted_s)])),
    p.loses_most && element("p", {}, `Most is lost in ${p.loses_most}.`)];
}

const stripNames = { C: "compute", T: "transfer", W: "waiting", M: "copies" };

/** What ranks did when, as the Chrome trace that a timeline is drawn from; idle is empty ground. */
function stripsTrace({ bin_s: bin, ranks }) {
  const traceEvents = [];
  for (const [tid, { rank, runs }] of ranks.entries()) {
    traceEvents.push({ ph: "M", name: "thread_name", tid, args: { name: rank === null ? "?" : `rank ${rank}` } });
    let at = 0;
    for (const [, letter, count] of runs.matchAll(/([A-Z])(\d+)/g)) {
      if (stripNames[letter]) traceEvents.push({ ph: "X", tid, name: stripNames[letter], ts: at * bin * 1e6, dur: count * bin * 1e6 });
      at += Number(count);
    }
  }
  return { traceEvents };
}

function stripsView(strips) {
  if (!strips) return null;
  const host = element("div", { class: "rank-timeline" });
  showTimeline(host, stripsTrace(strips), { rows: "ranks", row: "ranks", parts: "stretches", idle: "idle" }); // painted once it has a size
  return [element("h2", {}, "when: compute, exposed transfer, waiting, copies; idle is empty"), host];
}

/** Whom the time that others waited comes from, and exposed communication by what it splits. */
function rootsView(a) {
  const axes = a.ranks.flatMap((r) => (r.axes ?? []).map((x) => [rankName(r), x.axis, showSeconds(x.exposed_s), knownOr(x.transfer_s, showSeconds), knownOr(x.waiting_s, showSeconds), showWhole(x.calls)]));
  return [tableView("who lost the time that others waited", ["rank", "in all", "lost most to", "because"], (a.roots ?? []).map((r) => [`rank ${r.rank}`, showSeconds(r.caused_wait_s), r.cause, r.evidence]), 1, 12),
    tableView("groups slower than others of their kind", ["operation", "size", "count", "transfer", "elsewhere", "ranks"], (a.slow_groups ?? []).map((g) => [g.operation, showSize(g.bytes), showWhole(g.count), showSeconds(g.transfer_s), showSeconds(g.usual_transfer_s), g.ranks.join(", ")])),
    axes.some(([, axis]) => axis !== "other") && tableView("exposed communication by axis", ["rank", "axis", "exposed", "transfer", "waiting", "calls"], axes, 2, 12)].filter(Boolean);
}

/** The answer as that of a job, which may stand beside another run. */
const jobOf = (answer) => (answer.kind === "trace-against" ? { ...answer.trace, against: answer } : answer);

function againstView(a) {
  if (!a) return null;
  const { spans } = a, parts = Object.entries(spans).filter(([, v]) => v && v.delta !== undefined);
  const change = spans.step_s.before ? spans.step_s.delta / spans.step_s.before : 0;
  const calls = (n) => (Number.isInteger(n) ? showWhole(n) : n.toFixed(2)), each = (n, s) => (n ? showSeconds(s) : "–");
  return [tableView("beside the other run, a rank and step on average", ["part", "other", "this", "change"], parts.map(([key, v]) => [key.replace(/_s$/, "").replaceAll("_", " "), showSeconds(v.before), showSeconds(v.after), signed(v.delta)])),
    element("p", {}, `${Math.abs(change) < 0.0005 ? "As fast" : `${change < 0 ? "Faster" : "Slower"} by ${showShare(Math.abs(change))}`}; ` + (a.noise_s === null ? "one step in a run, so that noise is not known." : `the steps of both runs vary by ${showSeconds(a.noise_s)}${Math.abs(spans.step_s.delta) <= a.noise_s ? ": no more than noise" : ""}.`) + ` Steps: ${spans.aligned_by}.`),
    tableView("GPU work that changed most, a rank and step", ["name", "change", "calls", "now", "per call", "now"], a.kernels.map((k) => [k.name, signed(k.delta_s), calls(k.calls_before), calls(k.calls), each(k.calls_before, k.s_per_call_before), each(k.calls, k.s_per_call)]), 1, 12)];
}

const logWords = (log) => Object.entries(log).filter(([, v]) => v !== null && typeof v !== "object").map(([k, v]) => `${k.replaceAll("_", " ")} ${typeof v === "number" && !Number.isInteger(v) ? Number(v.toPrecision(4)) : v}`).join(", ");

/** Timelines of operations by stage and replica, replayed without what differs between workers. */
function timelineViews(list) {
  const rows = (seconds, words) => seconds.map((s, i) => [`${words} ${i}`, showSeconds(s)]);
  return (list ?? []).flatMap((t) => [
    element("h2", {}, t.file.split("/").at(-1)),
    element("p", {}, `${showWhole(t.steps)} step${t.steps === 1 ? "" : "s"} of ${showWhole(t.replicas)} replicas × ${showWhole(t.stages)} stages, ${showWhole(t.operations)} operations` +
      (t.not_replayed ? `; not replayed: ${t.not_replayed}` : `: ${showSeconds(t.recorded_step_s)} a step, ${showSeconds(t.without_stragglers_s)} without stragglers (slowdown ${t.slowdown.toFixed(2)})`) +
      (t.worst_worker ? `; worst: stage ${t.worst_worker.stage} of replica ${t.worst_worker.replica}, ${showSeconds(t.worst_worker.repaired_step_s)} with it repaired` : "")),
    t.without_stage_s && tableView("a step with one stage like the others", ["", "step"], rows(t.without_stage_s, "stage")),
    t.only_replica_s && tableView("a step with only one replica's differences", ["", "step"], rows(t.only_replica_s, "replica")),
    t.only_kind_s && tableView("a step with only one kind's differences", ["kind", "step"], Object.entries(t.only_kind_s).map(([kind, s]) => [kind, showSeconds(s)])),
  ]);
}

function executionViews(list) {
  return (list ?? []).flatMap((x) => {
    const kinds = new Map();
    for (const c of x.calls ?? []) {
      const key = `${c.operation}/${c.bytes}/${c.group_size}`, row = kinds.get(key) ?? [c.operation, showSize(c.bytes), c.group_size ?? "?", 0];
      row[3]++;
      kinds.set(key, row);
    }
    return [element("p", {}, `${x.file.split("/").at(-1)}: ${x.format}, ${showWhole(x.operators)} operators${x.rank === null ? "" : ` of rank ${x.rank}`}${x.lent ? `; it says what ${showWhole(x.lent)} collectives of the traces were` : ""}.`),
      tableView("collectives of the graph", ["operation", "size", "ranks", "count"], [...kinds.values()])];
  });
}

/** GPU memory over each recording: the peak, what was held throughout, what the peak consisted of. */
function memoryView(list) {
  const kinds = (m) => Object.entries(m.at_peak).filter(([, bytes]) => bytes > 0).sort((a, b) => b[1] - a[1]).map(([kind, bytes]) => `${kind} ${showShare(bytes / m.peak_bytes)}`).join(", ");
  const rows = (list ?? []).map((m) => [m.rank === null ? m.file.split("/").at(-1) : `rank ${m.rank}`, showSize(m.peak_bytes), m.reserved_bytes === null ? "?" : showSize(m.reserved_bytes), showSize(m.least_bytes), kinds(m)]);
  return rows.length ? tableView("GPU memory", ["", "peak", "reserved", "throughout", "at the peak"], rows) : null;
}

/** Hands a timeline to Perfetto in a window of its own, once that says that it is there. What it gets stays in the browser. */
function openInPerfetto(ask) {
  const origin = "https://ui.perfetto.dev", view = window.open(origin);
  if (!view) return;
  const calling = setInterval(() => view.closed ? clearInterval(calling) : view.postMessage("PING", origin), 100);
  window.addEventListener("message", async function hear(event) {
    if (event.source !== view || event.data !== "PONG") return;
    window.removeEventListener("message", hear);
    clearInterval(calling);
    const text = await ask();
    if (text) view.postMessage({ perfetto: { buffer: new TextEncoder().encode(text).buffer, title: "recorded job", fileName: "job.json" } }, origin);
  });
}

/** Whether shapes of products were recorded, so that their rates are known. */
const rated = (answer) => (answer.kernels ?? []).some((k) => typeof k.flop_per_s === "number");
const knownOr = (value, say) => (typeof value === "number" ? say(value) : "");
const timesOf = (n) => (n === 1 ? "once" : `${showWhole(n)} times`);

/** Notes: what was skipped, damaged or not matched. */
function notesOf(answer) {
  const damaged = answer.ranks.filter((r) => r.damaged);
  return [
    answer.unmatched && answer.ranks.length > 1 && `Collectives were not matched over ranks: ${answer.unmatched}.`,
    answer.mismatched > 0 && `${answer.mismatched} collectives disagree between ranks about what they are.`,
    ...damaged.map((r) => `${rankName(r)} is damaged: ${r.damage.map((d) => `${d.reason} at byte ${showWhole(d.byte)}`).join("; ") || "it ends too early"}; ${showWhole(r.events_lost)} events lost.`),
    ...answer.skipped.map(({ file, reason }) => `${file} was skipped: ${reason}.`),
  ].filter(Boolean).map((words) => element("p", { class: "caveat" }, words));
}

function traceTiles({ ranks, stragglers }) {
  const sum = (key) => ranks.reduce((total, r) => total + (r[key] ?? 0), 0), span = sum("span_s") || 1, share = (key) => showShare(sum(key) / span);
  const steps = ranks[0]?.steps ? `${ranks[0].steps} profiler step${ranks[0].steps > 1 ? "s" : ""} of ${showSeconds(ranks[0].mean_step_s)}` : ranks[0]?.gpu ?? "";
  const waiting = ranks.every((r) => r.exposed_waiting_s !== null) ? `${showShare(sum("exposed_waiting_s") / (sum("exposed_communication_s") || 1))} of it waiting for others` : "";
  return element("dl", { class: "tiles" },
    tile("ranks", showWhole(ranks.length), steps), tile("compute", share("compute_s"), "of the span, mean over ranks"),
    tile("exposed communication", share("exposed_communication_s"), waiting), tile("exposed copies", share("exposed_copy_s")), tile("idle", share("idle_s")),
    typeof ranks[0]?.product_flop_per_s === "number" && tile("products", showFlops(ranks[0].product_flop_per_s), knownOr(ranks[0].mfu_of_shapes, (share) => `${showShare(share)} of peak over the span, ${rankName(ranks[0])}`)),
    stragglers[0] && tile("last to arrive", `rank ${stragglers[0].rank}`, `${timesOf(stragglers[0].last_arrivals)}; others waited ${showSeconds(stragglers[0].caused_wait_s)}`));
}

const rankColumns = ["rank", "file", "gpu", "span_s", "compute_s", "exposed_communication_s", "exposed_waiting_s", "exposed_copy_s", "idle_s", "communication_s", "overlapped_communication_s", "events"];

/**
 * @param {HTMLElement} panel
 * @param {object} pool
 * @param {{fail: (error: object | null) => void, planText: () => string | null, namesChanged: () => void, say: (words: string) => void}} page
 */
export function openTrace(panel, pool, page) {
  let files = [], others = [], told = [], text = null, asked = 0, answer = null;
  const pick = (words, id, take) => {
    const input = element("input", { type: "file", multiple: true, hidden: true, id, onchange: () => { take([...input.files]); input.value = ""; } });
    return [input, element("button", { type: "button", onclick: () => input.click() }, words)];
  };
  const status = element("p", { class: "status" }), bar = element("progress", { max: 1, hidden: true, "aria-label": "reading" }), result = element("div", { id: "trace-result" });
  const beside = element("input", { type: "checkbox", id: "trace-plan", onchange: () => ask() });
  const clear = element("button", { type: "button", onclick: () => { files = others = told = []; text = answer = null; result.replaceChildren(); status.textContent = ""; page.namesChanged(); } }, "clear");
  panel.append(
    element("div", { class: "drop", id: "trace-drop" },
      element("p", {}, element("b", {}, "Drop recordings of a job here."), " PyTorch profiler traces (.json, .json.gz, .zip; one file a rank, or a folder of them), SQLite exports of Nsight Systems, operation timelines, execution traces, logs of nccl-tests and of trainers. They are read in this page and never leave this machine."),
      element("p", { class: "buttons" }, pick("recordings…", "trace-files", (list) => take(list)), pick("another run to compare…", "trace-others", (list) => { others = list; ask(); }), clear,
        element("label", { class: "inline" }, beside, "beside the plan of the Plan tab"))),
    bar, status, result);

  function draw() {
    const a = answer, width = Math.max(300, panel.clientWidth || 700);
    const rows = a.ranks.map((r) => ({ name: rankName(r), whole: r.span_s, values: valuesOf(r) }));
    const shown = ledgerParts.filter(({ key }) => rows.some((row) => row.values[key] > 0));
    const figure = rows.length ? stackedFigure(rows, shown, width, `time of ${rows.length} ranks: ${shown.map(({ words }) => words).join(", ")}`) : null;
    const csv = () => csvOf(rankColumns, a.ranks.map((r) => rankColumns.map((name) => r[name])));
    result.replaceChildren(...[
      rows.length && traceTiles(a), figure && element("h2", {}, "where the time of every rank went"), figure,
      figure && element("ul", { class: "legend" }, shown.map(({ words, color }) => element("li", {}, element("i", { class: `swatch ${color}` }), words))),
      element("p", { class: "buttons" }, exportButtons(() => "trace", { ...(figure ? { svgs: () => [figure], csv } : {}), json: () => text }),
        files.length > 0 && rows.length > 0 && element("button", { type: "button", class: "small", id: "trace-perfetto", title: "all ranks on one clock, in a window of ui.perfetto.dev", onclick: () => openInPerfetto(askTimeline) }, "open in Perfetto")),
      stripsView(a.strips), ...notesOf(a), files.length > 0 && rows.length > 0 && pictureDetails(() => "trace-picture", async () => (await pool.ask({ ...request(), picture: true }, { group: "picture", files: [...files, ...others] }))?.value), whatIfView(a.what_if), planView(a.plan), againstView(a.against),
      rootsView(a), tableView("who arrives last", ["rank", "times last", "others waited", "skew caused"], a.stragglers.map((s) => [`rank ${s.rank}`, showWhole(s.last_arrivals), showSeconds(s.caused_wait_s), showSeconds(s.caused_skew_s)])),
      tableView("collectives", ["operation", "size", "ranks", "count", "transfer, median", "bus rate, median", "skew, mean"], collectiveRows(a.collectives)),
      tableView(`GPU work of ${rows.length ? rankName(a.ranks[0]) : ""}`, ["name", "time", "share", "count", ...(rated(a) ? ["rate", "of peak"] : [])],
        (a.kernels ?? []).map((k) => [k.name, showSeconds(k.total_s), showShare(k.total_s / a.kernels_s), showWhole(k.count), ...(rated(a) ? [knownOr(k.flop_per_s, showFlops), knownOr(k.efficiency, showShare)] : [])]), 1, 12),
      tableView("ranks", ["", "GPU", "span", "compute", "exposed comm.", "copies", "idle", "events"], a.ranks.map((r) => [rankName(r), r.gpu ?? "?", showSeconds(r.span_s), ...["compute_s", "exposed_communication_s", "exposed_copy_s", "idle_s"].map((key) => showShare(r[key] / (r.span_s || 1))), showWhole(r.events)]), 2),
      memoryView(a.memory), ...timelineViews(a.operation_timelines), ...executionViews(a.execution_traces),
      ...(a.logs ?? []).map((log) => element("p", {}, logWords(log))),
    ].flat().filter(Boolean));
    result.dataset.ranks = String(a.ranks.length);
  }

  const askTimeline = async () => (await pool.ask({ ...request(), timeline: true }, { group: "timeline", files }))?.text;

  function request() {
    const plan = beside.checked ? page.planText() : null;
    return { command: "trace", files: files.map((f) => f.name), ...(others.length ? { other_files: others.map((f) => f.name) } : {}), ...(plan ? { plan: { name: "the plan", text: plan } } : {}) };
  }

  async function ask() {
    if (!files.length) return;
    const mine = ++asked, began = performance.now();
    pool.cancel("trace");
    status.textContent = `reading ${showWhole(files.length)} file${files.length > 1 ? "s" : ""}…`;
    const got = await pool.ask(request(), { group: "trace", files: [...files, ...others], progress: (share) => { bar.hidden = false; bar.value = share; } });
    if (mine !== asked || !got) return;
    bar.hidden = true;
    page.fail(got.value.error ?? null);
    status.textContent = got.value.error ? "" : `${showSize([...files, ...others].reduce((sum, f) => sum + f.size, 0))} read in ${showSeconds((performance.now() - began) / 1000)}`;
    if (got.value.error) return;
    show(got);
    page.say(`${showWhole(answer.ranks.length)} ranks read${answer.stragglers[0] ? `; rank ${answer.stragglers[0].rank} arrives last most` : ""}`);
  }

  function show(got) {
    text = got.text;
    answer = jobOf(got.value);
    draw();
  }

  function take(list) {
    files = [...list].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
    ask();
    page.namesChanged();
  }

  let width = 0;
  new ResizeObserver(() => { if (answer && panel.clientWidth && panel.clientWidth !== width) draw(); width = panel.clientWidth; }).observe(panel);
  return {
    take,
    names: () => [...(files.length ? files.map((f) => f.name) : told), ...(others.length ? ["--against", others[0].name] : [])],
    /** An answer that came with the page; its files did not. */
    learn(said, names = []) {
      told = names;
      status.textContent = `read by the command line: ${names.join(", ")}`;
      show({ text: said, value: JSON.parse(said) });
    },
    shown() { if (answer) draw(); },
  };
}
