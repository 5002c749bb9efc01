/* format.js -- numbers and layouts in the words of the command line. */

/** Three significant digits in the first unit whose least value is reached: [least, name, factor]. */
function inUnits(value, units) {
  const [least, name, factor = least] = units.find(([at]) => Math.abs(value) >= at) ?? units.at(-1);
  const shown = value / factor, digits = Math.floor(Math.log10(Math.abs(shown) || 1)) + 1;
  return `${shown.toFixed(Math.max(0, 3 - Math.max(1, digits)))}${name}`;
}

const timeUnits = [[86400, " d"], [3600, " h"], [60, " min"], [1, " s"], [1e-3, " ms"], [1e-6, " µs"]];
const countUnits = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k", 1e3], [1, ""]];
const powerUnits = [[1e6, " MW"], [1e3, " kW"], [1, " W"]];
const moneyUnits = [[1e6, "M"], [1e4, "k", 1e3], [1, ""]];

export const showSeconds = (s) => (s === 0 ? "0 s" : inUnits(s, timeUnits));
export const showBytes = (b) => `${(b / 1e9).toFixed(1)} GB`;
export const showShare = (x) => `${(100 * x).toFixed(1)} %`;
/** A ratio as a change: +1.5 %, −0.1 %. */
export const showChange = (ratio) => `${ratio < 1 ? "−" : "+"}${Math.abs(100 * (ratio - 1)).toFixed(1)} %`;
/** A chance in whole percents, never a false 0 or 100. */
export const showChance = (p) => (p > 0 && p < 0.005 ? "<1 %" : p < 1 && p >= 0.995 ? ">99 %" : `${(100 * p).toFixed(0)} %`);
export const showCount = (n) => (n >= 999.5 && n < 1e4 ? showWhole(n) : inUnits(n, countUnits));
export const showPower = (w) => inUnits(w, powerUnits);
export const showMoney = (usd) => (usd === null ? "no price known" : `${inUnits(usd, moneyUnits)} USD`);

const sizeUnits = [[1e12, " TB"], [1e9, " GB"], [1e6, " MB"], [1e3, " kB"], [1, " B"]];
export const showSize = (b) => (b === null || b === undefined ? "?" : inUnits(b, sizeUnits));
export const showRate = (b) => (b === null || b === undefined ? "?" : `${inUnits(b, sizeUnits)}/s`);

const flopUnits = [[1e15, " Pflop/s"], [1e12, " Tflop/s"], [1e9, " Gflop/s"], [1, " flop/s"]];
export const showFlops = (rate) => inUnits(rate, flopUnits);

/** Dollars of a million tokens: small numbers. */
export const showPrice = (usd) => (usd === null || usd === undefined ? "?" : `$${usd < 0.0995 ? usd.toPrecision(2) : usd < 99.5 ? usd.toPrecision(3) : showWhole(usd)}`);

/** GPUs as people say them: 16,384. */
export const showWhole = (n) => Math.round(n).toLocaleString("en-US");

/** A layout in one line, as the command line prints it. */
export function showLayout(l) {
  const words = [`tp${l.tp}${l.sp ? "+sp" : ""}`];
  if (l.cp > 1) words.push(`cp${l.cp}${l.cp_kind === "ring" ? "" : `-${l.cp_kind}`}`);
  if (l.ep > 1) words.push(`ep${l.ep}`);
  if (l.etp > 1) words.push(`etp${l.etp}`);
  words.push(`pp${l.pp}`);
  if (l.pp > 1) words.push(l.schedule);
  if (l.vpp > 1) words.push(`vpp${l.vpp}`);
  words.push(`dp${l.dp}`, `zero${l.zero}`);
  if (l.hsdp > 0 && l.hsdp !== l.dp) words.push(`hsdp${l.hsdp}`);
  return [...words, `mb${l.micro_batch}`, `recompute-${l.recompute}${l.recompute_layers > 0 ? `-${l.recompute_layers}` : ""}`, l.stage_layers && "uneven"].filter(Boolean).join(" ");
}

/** Parts of a ledger: key of the JSON, words, colour class. */
export const timeParts = [
  ["compute_s", "compute"], ["tp_exposed_s", "tensor-parallel traffic"], ["cp_exposed_s", "context-parallel traffic"],
  ["ep_exposed_s", "expert-parallel traffic"], ["dp_exposed_s", "data-parallel traffic"], ["pp_exposed_s", "pipeline traffic"],
  ["bubble_s", "pipeline bubble"], ["optimizer_s", "optimizer"], ["host_s", "host"], ["straggler_s", "waiting for stragglers"],
  ["data_loading_s", "data loading"],
].map(([key, words], i) => ({ key, words, color: `t${i}` }));

export const memoryParts = [
  ["weights_bytes", "weights"], ["gradients_bytes", "gradients"], ["optimizer_bytes", "optimizer states"],
  ["activations_bytes", "activations"], ["buffers_bytes", "buffers"], ["reserved_bytes", "allocator reserve"],
].map(([key, words], i) => ({ key, words, color: `m${i}` }));

/** Ticks of a logarithmic axis: 1, 2, 5 of every decade where there is room for them, else only 1. */
export function decades(low, high) {
  const first = Math.floor(Math.log10(low)), count = Math.ceil(Math.log10(high)) - first + 1;
  const ones = Array.from({ length: count }, (_, i) => 10 ** (first + i));
  const inside = (list) => list.filter((v) => v >= low * 0.999 && v <= high * 1.001);
  const all = inside(ones.flatMap((v) => [v, 2 * v, 5 * v]));
  return all.length <= 8 ? all : inside(ones);
}
