/* timeline.js -- one predicted step on a canvas: a row per pipeline stage, empty ground is bubble.
 *
 * A step may have a hundred thousand passes: only those in view are drawn, and of several within
 * one pixel one. */
import { element } from "./dom.js";
import { showSeconds, showWhole } from "./format.js";

const colors = { compute: "--t0", transfer: "--t1", waiting: "--t4", copies: "--t8", forward: "--t0", backward: "--t1", "backward input": "--t1", "backward weight": "--t3" };
const otherColor = "--t7";

/** Rows of passes from Chrome trace JSON: [{name, passes: [{start, end, name, micro}]}], seconds. */
function rowsOf(trace) {
  const rows = new Map();
  for (const event of trace.traceEvents) {
    if (event.ph === "M" && event.name === "thread_name") rows.set(event.tid, { name: event.args.name, passes: [] });
    if (event.ph !== "X") continue;
    rows.get(event.tid).passes.push({ start: event.ts / 1e6, end: (event.ts + event.dur) / 1e6, name: event.name, micro: event.args?.["micro-batch"], chunk: event.args?.chunk });
  }
  const all = [...rows.values()];
  for (const row of all) row.passes.sort((a, b) => a.start - b.start);
  return all;
}

/** Index of the first pass that ends after a time. */
function firstAfter(passes, time) {
  let low = 0, high = passes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes[middle].end <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function paintRow(brush, row, view, { top, height, left, width }, paint) {
  const scale = width / (view.to - view.from);
  let filled = -1;
  for (let i = firstAfter(row.passes, view.from); i < row.passes.length && row.passes[i].start < view.to; i++) {
    const pass = row.passes[i], a = Math.max(0, (pass.start - view.from) * scale), b = Math.min(width, (pass.end - view.from) * scale);
    if (b <= filled) continue;
    const from = Math.max(a, filled), gap = b - from > 3 ? 0.5 : 0;
    brush.fillStyle = paint(pass.name);
    brush.fillRect(left + from, top, Math.max(b - from - gap, 0.3), height);
    if (b - from < 1) filled = Math.floor(b) + 1;
    if (b - a > 34 && height > 11 && pass.micro !== undefined) {
      brush.fillStyle = "#fff";
      brush.fillText(pass.micro, left + a + 3, top + height - 3);
    }
  }
}

/**
 * Shows a step in a place of the page.
 * @param {HTMLElement} host
 * @param {object} trace Chrome trace JSON, as `ceiling explain --timeline` writes it
 */
export function showTimeline(host, trace, words = { rows: "pipeline stages", row: "stages", parts: "passes", idle: "idle: pipeline bubble" }) {
  const rows = rowsOf(trace), end = Math.max(...rows.map((row) => row.passes.at(-1)?.end ?? 0));
  const height = Math.max(6, Math.min(20, Math.floor(420 / rows.length))), left = 58, foot = 18;
  const canvas = element("canvas", { class: "steps", tabindex: 0, role: "img", "aria-label": `timeline of ${rows.length} ${words.rows} over ${showSeconds(end)}; plus and minus zoom, arrow keys move` });
  const line = element("p", { class: "status", "aria-live": "polite" }, `${showSeconds(end)}, ${showWhole(rows.reduce((n, row) => n + row.passes.length, 0))} ${words.parts} of ${rows.length} ${words.row}`);
  const names = [...new Set(rows.flatMap((row) => row.passes.map(({ name }) => name)))];
  const view = { from: 0, to: end };
  let pending = 0, grip = null;

  function paintAll() {
    pending = 0;
    const style = getComputedStyle(canvas), ratio = devicePixelRatio || 1, wide = canvas.clientWidth, tall = rows.length * height + foot;
    canvas.width = wide * ratio;
    canvas.height = tall * ratio;
    canvas.style.height = `${tall}px`;
    const brush = canvas.getContext("2d"), known = {};
    const paint = (name) => (known[name] ??= style.getPropertyValue(colors[name] ?? otherColor));
    brush.scale(ratio, ratio);
    brush.font = "10px sans-serif";
    const box = { left, width: wide - left, height: height - 1 };
    for (const [i, row] of rows.entries()) {
      const top = i * height;
      brush.fillStyle = style.getPropertyValue("--panel");
      brush.fillRect(left, top, box.width, box.height);
      brush.fillStyle = style.getPropertyValue("--soft");
      if (i % Math.ceil(12 / height) === 0) brush.fillText(row.name, 0, top + Math.min(height, 11));
      paintRow(brush, row, view, { ...box, top }, paint);
    }
    brush.fillStyle = style.getPropertyValue("--soft");
    brush.fillText(showSeconds(view.from), left, tall - 4);
    const last = showSeconds(view.to);
    brush.fillText(last, wide - brush.measureText(last).width, tall - 4);
  }
  const paintSoon = () => (pending ||= requestAnimationFrame(paintAll));

  /** Shows `span` seconds such that `time` stays where it is. */
  function zoom(time, factor) {
    const span = Math.min(end, Math.max(end * 1e-6, (view.to - view.from) * factor)), share = (time - view.from) / (view.to - view.from);
    moveTo(time - share * span, span);
  }
  function moveTo(from, span = view.to - view.from) {
    view.from = Math.max(0, Math.min(end - span, from));
    view.to = view.from + span;
    paintSoon();
  }
  const timeAt = (event) => view.from + ((event.offsetX - left) / (canvas.clientWidth - left)) * (view.to - view.from);
  const middle = () => (view.from + view.to) / 2;

  function tellPass(event) {
    const row = rows[Math.floor(event.offsetY / height)], time = timeAt(event);
    if (!row || time < 0) return;
    const pass = row.passes[firstAfter(row.passes, time)];
    const told = pass && pass.start <= time
      ? `${pass.name}${pass.micro === undefined ? "" : ` of micro-batch ${pass.micro}, chunk ${pass.chunk}`}: ${showSeconds(pass.end - pass.start)} from ${showSeconds(pass.start)}`
      : words.idle;
    line.textContent = `${row.name}: ${told}`;
  }
  canvas.addEventListener("pointerdown", (event) => { grip = timeAt(event); canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { grip = null; });
  canvas.addEventListener("pointermove", (event) => (grip === null ? tellPass(event) : moveTo(view.from + grip - timeAt(event))));
  canvas.addEventListener("dblclick", (event) => zoom(timeAt(event), 0.25));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    zoom(timeAt(event), Math.exp(event.deltaY / 200));
  }, { passive: false });
  canvas.addEventListener("keydown", ({ key }) => {
    const span = view.to - view.from;
    if (key === "+" || key === "=") zoom(middle(), 0.5);
    if (key === "-") zoom(middle(), 2);
    if (key === "ArrowLeft") moveTo(view.from - span / 5);
    if (key === "ArrowRight") moveTo(view.from + span / 5);
    if (key === "0") moveTo(0, end);
  });
  new ResizeObserver(paintSoon).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintSoon);

  const button = (words, label, act) => element("button", { type: "button", "aria-label": label, onclick: act }, words);
  host.replaceChildren(
    element("p", { class: "buttons" }, button("+", "zoom in", () => zoom(middle(), 0.4)), button("−", "zoom out", () => zoom(middle(), 2.5)),
      button("start", "zoom to the start", () => moveTo(0, end / Math.max(1, rows[0].passes.length / 150))), button("all", "show the whole step", () => moveTo(0, end))),
    canvas, line,
    element("ul", { class: "legend" }, names.map((name) => {
      const swatch = element("i", { class: "swatch" });
      swatch.style.background = `var(${colors[name] ?? otherColor})`;
      return element("li", {}, swatch, name);
    }), element("li", {}, element("i", { class: "swatch empty" }), "idle")));
}
