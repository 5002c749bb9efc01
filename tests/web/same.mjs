/* The same request gives the same text at the command line and in WebAssembly, byte for byte.
 * node same.mjs CEILING CORE.wasm */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openCore } from "../../web/core.js";

const [, , ceiling, wasm] = process.argv;
const traceFile = join(mkdtempSync(join(tmpdir(), "same-")), "trace.json");
const config = "data/model/llama-3.1-8b.json";

const requests = [
  { command: "params" },
  { command: "plan", model: "llama-2-7b", gpus: "8" },
  { command: "plan", model: "llama-3.1-405b", gpus: "512", seq: "8192", "global-batch": "16Mtok" },
  { command: "plan", model: "llama-3.1-405b", gpus: "16384", seq: "8192", "global-batch": "16Mtok" },
  { command: "plan", model: "llama-3.1-405b", gpus: "8" },
  { command: "plan", model: "deepseek-v3", gpus: "2048", gpu: "h800-sxm", imbalance: "1.2" },
  { command: "plan", model: "dbrx", gpus: "256", gpu: "mi300x" },
  { command: "plan", model: "llama-3.1-70b", gpus: "64", gpu: "gb200", top: "3" },
  { command: "plan", model: "gpt3-175b", gpus: "1024", gpu: "a100-sxm-80gb", stack: "megatron-2022", seq: "2048", "global-batch": "1536" },
  { command: "plan", model: "llama-3.1-70b", gpus: "128", fix: ["tp=4,8", "pp=4"], not: ["vpp=2"], offload: true, fabric: "200Gbit/s" },
  { command: "plan", model: config, config: readFileSync(config, "utf8"), gpus: "16", tokens: "1T", price: "2.5USD/h" },
  { command: "explain", model: "llama-3.1-8b", gpus: "512", tp: "4", pp: "2", zero: "1", "micro-batch": "1", "global-batch": "1024" },
  { command: "explain", model: "mixtral-8x7b", gpus: "64", optimizer: "muon", "data-loading": "20ms" },
  { command: "explain", model: "llama-3.1-405b", gpus: "8", tp: "8", pp: "1" },
  { command: "plan", model: "llama-3.1-70b", gpus: "64", cp: "4", "cp-kind": "ulysses", "recompute-layers": "4" },
  { command: "timeline", model: "llama-3.1-8b", gpus: "64", tp: "2", pp: "4" },
  { command: "scale", model: "llama-3.1-70b", gpus: "8..4096", seq: "8192" },
  { command: "scale", model: "dbrx", gpus: "64,128,256", mode: "weak", "critical-batch": "8Mtok", knee: "70%" },
  { command: "scale", model: "dbrx", gpus: "64,", mode: "weak" },
  // what is wrong is said in the same sentence
  { command: "plan", model: "llama-2-7B", gpus: "8" },
  { command: "plan", model: "llama-2-7b" },
  { command: "plan", model: "llama-2-7b", gpus: "eight" },
  { command: "plan", model: "llama-2-7b", gpus: "8", gpu: "h100-sxn" },
  { command: "plan", model: "llama-2-7b", gpus: "8", price: "2.5" },
  { command: "plan", model: "llama-2-7b", gpus: "8", tp: "3" },
  { command: "plan", model: "llama-2-7b", gpus: "8", fix: ["tq=3"] },
  { command: "plan", model: "llama-2-7b", gpus: "8", gpsu: "3" },
];

/** The command line of a request. */
function argumentsOf({ command, model, config: _, ...knobs }) {
  const flags = Object.entries(knobs).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [value].flat().flatMap((one) => [`--${flag}`, one]));
  if (command === "timeline") return ["explain", model, ...flags, "--timeline", traceFile];
  return command === "params" ? [command] : [command, model, ...flags, "--json"];
}

const untimed = (text) => text.replace(/"seconds": [0-9.e+-]+/, '"seconds": 0');
let passed = 0, failed = 0, native = 0, browser = 0;
function check(what, got, want) {
  if (got === want) return void passed++;
  failed++;
  const a = got.split("\n"), b = want.split("\n"), at = a.findIndex((line, i) => line !== b[i]);
  console.log(`${what}\n  line ${at + 1}: ${a[at]}\n  command line: ${b[at]}`);
}

const call = await openCore(await WebAssembly.compile(readFileSync(wasm)));
for (const request of requests) {
  let start = performance.now();
  const line = argumentsOf(request);
  const written = () => (request.command === "timeline" ? readFileSync(traceFile, "utf8") : untimed(program.stdout));
  const program = spawnSync(ceiling, line, { encoding: "utf8", maxBuffer: 1 << 26 });
  native += performance.now() - start;
  start = performance.now();
  const answer = await call(request);
  browser += performance.now() - start;
  const error = JSON.parse(answer).error;
  if (error) check(line.join(" "), `ceiling: ${error.sentence}\n`, program.stderr);
  else check(line.join(" "), answer, written());
}

// what only a JSON request can get wrong
for (const [text, wanted] of [
  [{}, "no command"], [{ command: "plam" }, "plan"], [{ command: "plan" }, "no model is named"],
  [{ command: "plan", model: "dbrx", gpus: [8] }, "cannot be read"], [[], "no command"],
  [{ command: "plan", model: "dbrx", config: "{" }, "dbrx:1"]]) {
  const { error } = JSON.parse(await call(text));
  if (error && `${error.sentence}`.includes(wanted)) passed++;
  else { failed++; console.log(`${JSON.stringify(text)}: ${error?.sentence}`); }
}
rmSync(dirname(traceFile), { recursive: true });
if (process.env.VERBOSE) console.log(`command line ${native.toFixed(0)} ms, WebAssembly ${browser.toFixed(0)} ms`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
