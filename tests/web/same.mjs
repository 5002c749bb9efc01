/* The same request gives the same text at the command line and in WebAssembly, byte for byte.
 * node same.mjs CEILING CORE.wasm */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { openCore } from "../../web/core.js";
import { readersOf } from "../../web/files.js";
import { runsIn, runsOfModel } from "../../web/runs.js";
import { rank, zipOf } from "./recordings.mjs";

const [, , ceiling, wasm] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "same-")), traceFile = join(folder, "trace.json");
const config = "data/model/llama-3.1-8b.json", team = "tests/fuzz/corpus/jobs/team.csv";
const served = join(folder, "models.csv"), servedRows = "model,rate\nllama-3.1-8b,2req/s\nqwen3-0.6b,1req/s\n";
writeFileSync(served, servedRows);

const requests = [
  { command: "params" },
  { command: "plan", model: "llama-2-7b", gpus: "8" },
  { command: "plan", model: "llama-3.1-405b", gpus: "16384", seq: "8192", "global-batch": "16Mtok" },
  { command: "plan", model: "llama-3.1-405b", gpus: "8" },
  { command: "plan", model: "deepseek-v3", gpus: "512", gpu: "h800-sxm", imbalance: "1.2", fix: ["tp=1,2", "pp=16", "vpp=1", "zero=1"] },
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
  { command: "size", model: "llama-3.1-8b", gpu: "h100-sxm", tokens: "1T", deadline: "30d", seq: "8192" },
  { command: "size", model: "llama-2-7b", gpu: "mi300x", tokens: "200G", budget: "30kUSD", carbon: "350gCO2/kWh", capex: "40kUSD" },
  { command: "scale", model: "llama-2-7b", gpus: "64,128", mode: "grow", grow: "0.7", useful: true },
  { command: "scale", model: "llama-2-7b", gpus: "64,128", diloco: "100", sites: "2", between: "10Gbit/s" },
  { command: "portfolio", model: team, config: readFileSync(team, "utf8"), gpus: "16,32", horizon: "90d", budget: "200kUSD" },
  { command: "demand", model: "llama-3.1-8b", rate: "20req/s", span: "3min", prompt: "1ktok", output: "200tok", ttft: "1s", tpot: "50ms" },
  { command: "demand", model: "llama-3.1-70b", gpu: "h200-sxm", clients: "32", weights: "fp8", "api-input": "0.2USD/Mtok", "api-output": "0.6USD/Mtok" },
  { command: "demand", model: "llama-3.1-8b", profile: { name: "day.csv", text: "hour,req_per_min\n0,30\n1,90\n2,600\n3,60\n" } },
  { command: "demand", model: "llama-3.1-8b", trace: { name: "who.csv", text: "arrival_s,prompt_tokens,output_tokens\n0,100,20\n1.5,3000,7\n2,-1,8\n4,700,300\n" } },
  { command: "demand", model: "llama-2-7b", rate: "2req/s", span: "1min", levers: true },
  { command: "fleet", model: served, config: servedRows, span: "1min" },
  // what is wrong is said in the same sentence
  { command: "plan", model: "llama-2-7b", gpus: "8", kernels: { name: "mine.json", text: '{"kernel": 3' } },
  { command: "size", model: "llama-3-70b", deadline: "60d" },
  { command: "demand", model: "llama-3.1-8b" },
  { command: "demand", model: "llama-3.1-8b", trace: { name: "who.csv", text: "a,b\n1,2\n" } },
  { command: "demand", model: "llama-3.1-8b", rate: "5" },
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
  const fileOf = ({ name, text }) => { // in a folder of its own, so that sentences name it alike
    writeFileSync(join(folder, name), text);
    return name;
  };
  const flags = Object.entries(knobs).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [value].flat().flatMap((one) => [`--${flag}`, one.text ? fileOf(one) : one]));
  if (command === "timeline") return ["explain", model, ...flags, "--timeline", traceFile];
  return command === "params" ? [command] : [command, model, ...flags, "--json"];
}

const unfolded = (text) => text.replace(/\n {9}(?=\S)/g, " "); // complaints are folded for terminals
const untimed = (text) => text.replace(/"seconds": [0-9.e+-]+(?=,\s+"complete")/, '"seconds": 0'); // of the search
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
  const written = () => (request.command === "timeline" ? readFileSync(traceFile, "utf8") : request.command === "plan" ? untimed(program.stdout) : program.stdout);
  const hasFile = Object.values(request).some((value) => value.text);
  const program = spawnSync(resolve(ceiling), line, { encoding: "utf8", maxBuffer: 1 << 26, cwd: hasFile ? folder : "." });
  native += performance.now() - start;
  start = performance.now();
  const answer = await call(request);
  browser += performance.now() - start;
  const error = JSON.parse(answer).error;
  if (process.env.VERBOSE) console.log(`${(performance.now() - start).toFixed(0)} ms ${line.join(" ")}`);
  if (error) check(line.join(" "), `ceiling: ${error.sentence}\n`, unfolded(program.stderr));
  else check(line.join(" "), answer, written());
}

// what explain says in words is what the page is told in numbers, of one stack: --launch alone would choose its own
{
  const words = ["explain", "llama-3.1-8b", "--gpus", "64", "--tp", "4", "--zero", "1", "--stack", "megatron-2024"];
  const said = spawnSync(ceiling, [...words, "--launch", "megatron"], { encoding: "utf8" }).stdout;
  const why = JSON.parse(await call({ command: "why", model: "llama-3.1-8b", gpus: "64", tp: "4", zero: "1", stack: "megatron-2024" }));
  for (const { what, illegal, plan } of why.undone) {
    const line = said.split("\n").find((one) => one.includes(what)) ?? "";
    const step = illegal ?? (plan.memory.fits ? plan.step_s.toPrecision(3) : "does not fit");
    check(`${what}: ${line}`, String(line.includes(String(step).slice(0, 3))), "true");
  }
  check("several things can be undone", String(why.undone.length > 2 && why.moves.length === 7), "true");
  check("flags of trainers", String(said.includes(why.launch.find(({ trainer }) => trainer === "megatron").text.trim())), "true");
}

// pictures are the same bytes too
{
  const svg = join(folder, "curve.svg"), said = spawnSync(ceiling, ["scale", "llama-2-7b", "--gpus", "8,16,64", "--mode", "both", "--svg", svg]);
  const { svg: drawn } = JSON.parse(await call({ command: "scale", model: "llama-2-7b", gpus: "8,16,64", mode: "both", picture: true }));
  check("a curve as --svg draws it", drawn, said.status === 0 && readFileSync(svg, "utf8"));
  for (const [command, file, text, ...flags] of [["portfolio", team, readFileSync(team, "utf8"), "--gpus", "16,32", "--horizon", "90d"], ["fleet", served, servedRows, "--span", "1min"]]) {
    const knobs = Object.fromEntries(flags.flatMap((flag, i) => (i % 2 ? [] : [[flag.slice(2), flags[i + 1]]])));
    const words = JSON.parse(await call({ command, model: file, config: text, ...knobs, text: true })).text;
    check(`what ${command} prints`, words, spawnSync(ceiling, [command, file, ...flags], { encoding: "utf8" }).stdout);
  }
  check("one layout is not drawn", JSON.parse(await call({ command: "explain", model: "llama-2-7b", picture: true })).error.message, "'explain' is not drawn");
}

// both doors take the same flags
const { groups } = JSON.parse(await call({ command: "params" }));
const flags = groups.filter(({ name }) => name !== "OUTPUT").flatMap(({ params }) => params.map(({ flag }) => flag));
for (const command of ["plan", "explain", "scale", "size", "demand"]) {
  const help = spawnSync(ceiling, [command, "--help"], { encoding: "utf8" }).stdout;
  const apart = [];
  for (const flag of flags) {
    const { error } = JSON.parse(await call({ command, model: "llama-2-7b", [flag]: "x=y" }));
    if (!new RegExp(`--${flag}\\b(?!-)`).test(help) === !error?.message.includes("takes no")) apart.push(flag);
  }
  check(`flags of ${command}`, apart.join(" "), "");
}

// published runs: quotes, commas in them, tables one after the other
{
  const table = 'id,cite,model,gpu,gpus,seq,precision,global_batch,step_s\na,"one, ""two""",m,g,8,100,bf16,40,2\nb,x,m,g,8,100,bf16,40,\n';
  const runs = runsOfModel(runsIn(`${table}id,gpu,model,gpus,seq,global_batch,step_s,cite,precision\nc,g,m,16,10,4,1,y,fp8\nd,h,m,16,10,4,1,y,fp8\n`), "m", "g");
  check("tokens/s of a run", runs.map(({ gpus, tokens }) => `${gpus}:${tokens}`).join(), "8:2000,16:40");
  check("its source", String(runs[0].words.endsWith('(one, "two")')), "true");
  const text = readFileSync("data/runs/mlperf.csv", "utf8");
  check("every row of a file", String(runsIn(text).length), String(text.trim().split("\n").length - 1));
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

/** Recordings, read by the same core from the same bytes: JSON, gzip, zip, SQLite, logs, damaged ones. */
async function sameTraces(line, files, others = []) {
  const program = spawnSync(resolve(ceiling), ["trace", ...line, "--json"], { encoding: "utf8", maxBuffer: 1 << 28, cwd: folder });
  const bytes = await readersOf([...files, ...others].map((path) => new Blob([readFileSync(join(folder, path))])));
  const answer = await call({ command: "trace", files, ...(others.length ? { other_files: others } : {}) }, bytes);
  const error = JSON.parse(answer).error;
  if (error) check(line.join(" "), `ceiling: ${error.sentence}\n`, unfolded(program.stderr));
  else check(line.join(" "), answer, program.stdout);
}

const put = (name, bytes) => writeFileSync(join(folder, name), bytes);
put("rank0.json", rank(0));
put("rank1.json", rank(1));
put("rank0.json.gz", gzipSync(rank(0)));
put("rank1.zip", zipOf("rank1.json", rank(1)));
put("cut.json.gz", gzipSync(rank(0)).subarray(0, 180));
put("notes.txt", "no recording\n");
await sameTraces(["rank0.json", "rank1.json"], ["rank0.json", "rank1.json"]);
await sameTraces(["rank0.json.gz", "rank1.zip", "notes.txt"], ["rank0.json.gz", "rank1.zip", "notes.txt"]);
{
  const svg = join(folder, "ranks.svg"), files = ["rank0.json", "rank1.json"];
  spawnSync(resolve(ceiling), ["trace", ...files, "--svg", svg], { cwd: folder });
  const { svg: drawn } = JSON.parse(await call({ command: "trace", files, picture: true }, await readersOf(files.map((path) => new Blob([readFileSync(join(folder, path))])))));
  check("ranks as --svg draws them", drawn, readFileSync(svg, "utf8"));
}
await sameTraces(["rank0.json", "--against", "rank1.json"], ["rank0.json"], ["rank1.json"]);
await sameTraces(["cut.json.gz"], ["cut.json.gz"]);
await sameTraces(["notes.txt"], ["notes.txt"]);
// 65,536 replicas of 65,536 stages: a product of 32 bits would be 0
put("far.json", JSON.stringify([0, 65535].flatMap((n) => [
  { name: "thread_name", ph: "M", pid: n, tid: n, args: { name: `PP rank ${n}, TP rank 0, compute` } },
  { name: "forward-compute", cat: "forward-compute", pid: n, tid: n, ts: 0, dur: 10, ph: "X", args: { step: 7, model_chunk: 0, mb_id: 0, seq_id: 0 } }])));
await sameTraces(["far.json"], ["far.json"]);
for (const [place, most] of [["dlrm-8", 9], ["megatron-tp8", 9], ["nccl-tests", 3], ["nsys", 9]]) {
  const shared = join("..", "shared", "traces", place);
  if (!existsSync(shared)) continue; // published recordings, where they are at hand
  const names = readdirSync(shared).filter((name) => !name.endsWith(".csv")).sort().slice(0, most);
  for (const name of names) put(name, readFileSync(join(shared, name)));
  await sameTraces(names, names);
}

rmSync(folder, { recursive: true });
if (process.env.VERBOSE) console.log(`command line ${native.toFixed(0)} ms, WebAssembly ${browser.toFixed(0)} ms`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
