#!/usr/bin/env python3
"""serving.py TABLE.csv ... > plain.csv   published serving tables in the form of docs/formats.md.

What names of models, boards, engines and versions mean for a plan is said here and nowhere else: the
program reads the plain form alone. Forms are told apart by their columns. A row that cannot be
expressed keeps its line, with the reason; lines that measure nothing, and copies of one measurement,
are left out and counted on standard error. Names are those of data/; launch recipes that rows leave
out stand in inferencex-recipes.csv beside this file.
"""

import csv
import io
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent.parent / "data"

COLUMNS = (
    "id source model gpu engine weights cache tp pp dp ep prefill_tp prefill_pp prefill_dp prefill_ep "
    "prefill_copies decode_copies prompt_tokens output_tokens shortest spread clients requests client "
    "prompts statistic max_sequences max_tokens prefill_max_tokens decode_max_sequences memory_share "
    "graphs graph_most graph_tokens experts fits wait_iterations wait_tokens drafted gained workload "
    "scenario gpus boxes arrivals ttft_ms tpot_ms answer_s batch_s output_tokens_per_s reason"
).split()


# ---- cells

def number(cells, column, otherwise=0.0):
    text = (cells.get(column) or "").strip()
    try:
        value = float(text)
    except ValueError:
        return otherwise
    return value if abs(value) <= 1e12 else otherwise


def degree(cells, column):
    value = number(cells, column, 1)
    if value == 0:
        return 1
    return int(value) if 1 <= value <= 4096 else -1


def word(cells, column):
    return cells.get(column) or ""


def scaled(cells, column, scale=1.0):
    """A measured value; None of 0 and below."""
    value = number(cells, column)
    return value * scale if value > 0 else None


def squeeze(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


# ---- names

MODELS = sorted(path.stem for path in (DATA / "model").glob("*.json"))
WORKLOADS = sorted(path.stem for path in (DATA / "workload").glob("*.json"))

ALIKE = [  # the same shape under another name; None: none of ours
    ("deepseekr1distillllama8b", "llama-3.1-8b"), ("deepseekr1distillllama70b", "llama-3.1-70b"),
    ("deepseekr1distillqwen7b", "qwen2.5-7b"), ("deepseekr1distillqwen14b", "qwen2.5-14b"),
    ("deepseekr1distillqwen32b", "qwen2.5-32b"), ("deepseekr1distill", None),
    ("deepseekr1", "deepseek-v3"), ("glm46", "glm-4.5"), ("llama70b", "llama-2-70b"),
    ("llama3370b", "llama-3.1-70b"), ("metallama318b", "llama-3.1-8b"),
    ("metallama3170b", "llama-3.1-70b")]

BOARDS = [  # the first that stands in the words; None: not built in
    ("rtxpro6000", "rtx-pro-6000"), ("h100pcie", "h100-pcie"), ("pcie", None), ("h100nvl", "h100-nvl"),
    ("superchip96", "gh200-96gb"), ("superchip144", "gh200-144gb"), ("gh200", None), ("l40s", "l40s"),
    ("rtx4090", "rtx-4090"), ("a4048gb", "a40"), ("gb300", "gb300"), ("gb200", "gb200"),
    ("b300", "b300-sxm"), ("b200", "b200-sxm"), ("h200", "h200-sxm"), ("h100", "h100-sxm"),
    ("h800", "h800-sxm"), ("a10040", "a100-sxm-40gb"), ("a100", "a100-sxm-80gb"), ("mi300x", "mi300x"),
    ("mi325x", "mi325x"), ("mi355x", "mi355x")]


def longest(names, squeezed):
    """The name whose squeezed form is the longest beginning of the words."""
    found = [name for name in names if squeezed.startswith(squeeze(name))]
    return max(found, key=lambda name: len(squeeze(name))) if found else None


def model_in(words):
    squeezed = squeeze(words.rsplit("/", 1)[-1])
    for called, name in ALIKE:
        if squeezed.startswith(called):
            return name
    return longest(MODELS, squeezed)


def gpu_in(words):
    squeezed = squeeze(words)
    return next((name for called, name in BOARDS if called in squeezed), None)


def engine_in(words, version=""):
    squeezed = squeeze(words)
    if "trt" in squeezed:
        return "trtllm-1.0" if version.startswith("1.0") else "trtllm"
    if "sglang" in squeezed:
        return "sglang"
    minor = re.match(r"v?0\.(\d+)", version)
    return "vllm-0.14" if minor and int(minor[1]) < 21 else "vllm"


def config(model):
    return json.loads((DATA / "model" / f"{model}.json").read_text())


def has_experts(model):
    text = json.dumps(config(model))
    return bool(re.search(r'"(num_experts|n_routed_experts|num_local_experts|moe_num_experts|num_experts_per_tok)"',
                          text))


def released_narrow(model):
    """Whether a model is published in 8 bit."""
    quantized = config(model).get("config", config(model)).get("quantization_config") or {}
    return quantized.get("quant_method") == "fp8"


# ---- plans

def plan(**values):
    return {"engine": "vllm", "weights": "bf16", "cache": "bf16", "tp": 1, "pp": 1, "dp": 1, "ep": 1,
            "shortest": 1.0, **values}


def name(p, model, gpu, engine, version=""):
    """Fills the names; why they are not ours, or None."""
    p["model"], p["gpu"], p["engine"] = model_in(model), gpu_in(gpu), engine_in(engine, version)
    if not p["model"]:
        return f"model '{model:.60}' is not built in"
    if not p["gpu"]:
        return f"GPU '{gpu:.60}' is not built in"
    return None


def four_integer_bits(words):
    """Weights of AWQ and GPTQ, multiplied in 16 bit; GPTQ has 8 bits too."""
    squeezed = squeeze(words)
    return "int8" not in squeezed and any(one in squeezed for one in ("int4", "awq", "gptq", "w4a16"))


def read_formats(p, words):
    """Weights of a format in words; keys and values are kept in fp8 with narrow floats, as recipes do."""
    squeezed = squeeze(words)
    released = (p["model"] or "").startswith("gpt-oss")  # experts in mxfp4 only
    p["weights"] = ("mxfp4" if "mxfp4" in squeezed or released else "nvfp4" if "fp4" in squeezed
                    else "fp8" if "fp8" in squeezed else "int4" if four_integer_bits(words) else "bf16")
    p["cache"] = "bf16" if p["weights"] in ("bf16", "int4") else "fp8"


def lengths(p, prompt, output):
    """The plain form has means, tables the longest of evenly spread ones."""
    mean = (1 + p["shortest"]) / 2
    p["prompt_tokens"] = prompt * mean
    p["output_tokens"] = output * mean if output > 1 else output


def limited(requests):
    """A batch's limit is the batch."""
    return int(min(max(requests, 0), 65536))


# ---- InferenceX's results, as aiconfigurator samples them

GRAPHS_TO_2048 = "2:1 4:2 8:4 256:8 2048:16"  # vllm/config/vllm.py


def own_sweep(cells):
    """Sweeps of aiconfigurator's own, by file instead of image: they set nothing."""
    return re.match(r"[^/]*/.*\.csv;", word(cells, "silicon_data_source")) is not None


def part(cells, prefix):
    degrees = {"tp": degree(cells, prefix + "tp_size"), "pp": degree(cells, prefix + "pp_size"),
               "dp": degree(cells, prefix + "attention_dp_size"), "ep": degree(cells, prefix + "moe_ep_size")}
    degrees["copies"] = degree(cells, prefix + "num_workers") if prefix else 1
    return degrees


def undo_products(cells, d):
    """InferenceX configures tp GPUs and ep of them (configs/nvidia-master.yaml); the sample writes tp
    in both columns of expert groups' degrees and multiplies: tp 64 = 8 x 8 on boxes of 8, dp 16 = 4 x 4,
    and tp 4 dp 4 ep 16 where 4 GPUs share sequences and experts out."""
    experts_tp, experts_ep = degree(cells, "moe_tp_size"), degree(cells, "moe_ep_size")
    if experts_tp > 1 and experts_ep > 1:
        which = "dp" if d["dp"] > 1 else "tp"
        if d[which] == experts_tp * experts_ep:
            d[which] = experts_tp
    elif d["tp"] > 1 and d["dp"] == d["tp"] and d["ep"] == d["tp"] * d["dp"]:
        d["ep"], d["tp"] = d["dp"], 1


def share_experts(p, d):
    """SGLang's recipes for DeepSeek share sequences out with the DeepEP backend, which shares experts
    out over as many ranks whatever --ep-size says (its server_args.py: ep_size = tp_size)."""
    if p["engine"] == "sglang" and d["dp"] > 1 and d["ep"] == 1:
        d["ep"] = d["tp"] * d["dp"]


def read_minimax(p, version):
    """MiniMax-M2.5 on B200. In 8 bit up to vLLM 0.17 with the 16-bit cache and 95 % of memory; from 0.19
    on with an 8-bit cache and 90 % (InferenceX pull requests 947 and 1010 of 2026-04, as
    vllm-project/recipes pull request 321 lists them). In 4 bit the checkpoint brings an 8-bit cache,
    which vLLM's "auto" takes (recipe nvfp4_experts_only-fp8_kv of nvidia/MiniMax-M2.5-NVFP4)."""
    minor = re.match(r"0\.(\d+)", version)
    old = bool(version.startswith("0.")) and int(minor.group(1) if minor else 0) < 18
    if p["gpu"] != "b200-sxm":
        return
    if p["weights"] == "nvfp4" or (p["weights"] == "fp8" and not old):
        p["cache"] = "fp8"
    if p["weights"] == "fp8" and old:
        p["memory_share"] = 0.95


def read_scripts(cells, p):
    """What InferenceX's public launch scripts set (github SemiAnalysisAI/InferenceX, benchmarks/, read
    2026-11): gpt-oss on Hopper, MiniMax on Hopper and Kimi run with the 16-bit cache that is the
    default; the TensorRT-LLM ones with iterations of 16,384 or 20,000 tokens."""
    model, own = p["model"] or "", own_sweep(cells)
    hopper, minimax = (p["gpu"] or "").startswith("h"), model.startswith("minimax")
    if (model.startswith("gpt-oss") and hopper) or minimax or model.startswith("kimi") or own:
        p["cache"] = "bf16"
    if not own and minimax:
        read_minimax(p, word(cells, "backend_version"))
    if not own and p["engine"] == "trtllm":
        p["max_tokens"] = 20000 if model.startswith("gpt-oss") else 16384


def read_glm(p):
    """GLM-5 on SGLang: iterations of 32,768 tokens, 85 % of memory, 90 % in 4 bit; in 8 bit as many
    sequences as clients (glm5_fp8_b200.sh, glm5_fp8_b300.sh, glm5_fp4_b200.sh, commits 4eca3fe, 5632483,
    405c601)."""
    if not (p["model"] or "").startswith("glm-5") or p["engine"] != "sglang":
        return
    p["max_tokens"] = 32768
    p["memory_share"] = 0.9 if p["weights"] == "nvfp4" else 0.85
    if p["weights"] == "fp8":
        p["max_sequences"] = limited(p["clients"])


def read_graphs(cells, p, prompt):
    """What its scripts for vLLM set of graphs and iterations (benchmarks/single_node): gpt-oss
    max-cudagraph-capture-size 2048, MiniMax on B200 from 0.19 on that and iterations of two prompts;
    Kimi and MiniMax before neither."""
    model = p["model"] or ""
    minimax = word(cells, "backend_version") == "0.19.0" and model.startswith("minimax")
    if not p["engine"].startswith("vllm") or own_sweep(cells) or not (minimax or model.startswith("gpt-oss")):
        return
    p["graphs"], p["graph_tokens"] = GRAPHS_TO_2048, 2048
    if minimax:
        p["max_tokens"] = int(2 * prompt)


def read_early_minimax(cells, p, d):
    """MiniMax in 8 bit before vLLM 0.19 (pull request 947, 2026-04): the script asked `EP_SIZE -ge 1`, so
    that experts are shared out whatever the sample says. On B200 it switched FlashInfer and DeepGEMM
    off, which leaves Triton; on Hopper vLLM takes DeepGEMM unless tensor parallel by 8 (vLLM pull
    request 29346), then Triton."""
    early = word(cells, "backend_version") in ("0.16.0", "0.17.0", "0.18.0")
    if not (p["model"] or "").startswith("minimax") or p["weights"] != "fp8":
        return
    if not early or own_sweep(cells) or d["dp"] > 1:
        return
    hopper = (p["gpu"] or "").startswith("h")
    p["experts"] = "grouped" if hopper and d["tp"] != 8 else "whole"
    if d["ep"] == 1:
        d["ep"] = d["tp"]


def read_early_gpt_oss(cells, p, d):
    """gpt-oss on TensorRT-LLM on H200 is configured with "EP=TP" (nvidia-master.yaml); runs from before
    images were noted down say 1 of groups of experts, and take as long."""
    if not (p["model"] or "").startswith("gpt-oss") or p["gpu"] != "h200-sxm" or p["engine"] != "trtllm":
        return
    if not word(cells, "backend_version") and not own_sweep(cells) and d["dp"] == 1 and d["ep"] == 1:
        d["ep"] = d["tp"]


def read_waiting(cells, p, d, prompt, output):
    """Llama 3 70B on TensorRT-LLM, scripts of 2025 (70b_fp4_b200_trt_slurm.sh, the same for fp8): for
    1,024 tokens in and out on fewer than 8 GPUs, batch_wait_max_tokens_ratio 0.9 and
    batch_wait_timeout_iters 20."""
    script = (p["engine"] == "trtllm" and p["model"] == "llama-3.1-70b" and not word(cells, "backend_version"))
    if script and p.get("max_tokens", 0) > 0 and prompt == 1024 and output == 1024 and d["tp"] < 8:
        p["wait_iterations"], p["wait_tokens"] = 20, int(0.9 * p["max_tokens"])


def server_limited(p):
    """gpt-oss on vLLM on H100: InferenceX configures up to 64 clients, its script sets the server for as
    many sequences and ten requests each. In runs said to be of 512 clients each waits for four answers
    of others before its own: the server took a tenth of the requests."""
    return ((p["model"] or "").startswith("gpt-oss") and p["gpu"] == "h100-sxm" and p["engine"].startswith("vllm")
            and p["clients"] > 64)


# ---- disaggregated rows, with public recipes

def recipes():
    with open(HERE / "inferencex-recipes.csv", newline="") as table:
        return list(csv.DictReader(table))


def gpus(d):
    return d["tp"] * d["dp"]


def recipe_parts(r):
    value = lambda key: int(r[key] or 0)
    first = {"tp": value("prefill_tp"), "dp": value("prefill_dp"), "ep": value("prefill_ep"), "pp": 1,
             "copies": value("prefill_copies")}
    rest = {"tp": value("tp"), "dp": value("dp"), "ep": value("ep"), "pp": 1, "copies": value("copies")}
    return first, rest


def same_degrees(r, first, rest, given):
    """Exports of 2025 have the GPUs of all copies of both parts in both; or 1, nothing. Exports that
    give copies leave speculation out."""
    a, b = recipe_parts(r)
    if given:
        return (int(r["drafted"] or 0) == 0 and a["copies"] == first["copies"] and b["copies"] == rest["copies"]
                and gpus(a) == gpus(first) and gpus(b) == gpus(rest))
    if gpus(first) == 1 and gpus(rest) == 1 and gpus(b) > 1:
        return True
    everything = a["copies"] * gpus(a) + b["copies"] * gpus(b)
    return ((gpus(a) == gpus(first) and gpus(b) == gpus(rest))
            or (gpus(first) == everything and gpus(rest) == everything))


def fitting(cells, p, first, rest, prompt, output, given):
    """Recipes that agree with everything a row says, with their lines."""
    date = word(cells, "measured_at")
    return [(line, r) for line, r in enumerate(recipes(), 2)
            if r["model"] == p["model"] and r["gpu"] == p["gpu"] and r["engine"] == p["engine"]
            and r["weights"] == p["weights"] and int(r["prompt_tokens"]) == int(prompt)
            and int(r["output_tokens"]) == int(output) and r["from"] <= date[:7] <= r["until"]
            and int(p["clients"]) in [int(c) for c in r["clients"].split()]
            and same_degrees(r, first, rest, given)]


def take_recipe(p, r):
    """Degrees and limits of the one public recipe that fits, which are right where they differ from the
    row's: exports of 2025 had placeholders for what the scripts said."""
    first, rest = recipe_parts(r)
    drafted = int(r["drafted"] or 0)
    if drafted > 0:
        gained = json.loads((HERE / "speculation.json").read_text())
        p["drafted"], p["gained"] = drafted, gained[f"drafted_{drafted}"]["value"]
    if float(r["memory_share"] or 0) > 0:
        p["memory_share"] = float(r["memory_share"])
    else:
        p.pop("memory_share", None)
    p["graph_most"] = int(r["graph_most"] or 0) or None
    p["prefill_max_tokens"] = int(r["prefill_tokens"] or 0) * first["dp"] or None
    p["decode_max_sequences"] = int(r["batch"] or 0) * rest["dp"] or None
    return first, rest


def read_split(cells, p, rest, prompt, output):
    """The parts of a disaggregated row, why it cannot be expressed, the recipe's line."""
    given = bool(word(cells, "prefill_num_workers") and word(cells, "decode_num_workers"))
    first = part(cells, "prefill_")
    found = []
    if p["model"] and p["gpu"] and not own_sweep(cells):
        found = fitting(cells, p, first, rest, prompt, output, given)
    if len(found) == 1:
        first, rest = take_recipe(p, found[0][1])
        return first, rest, None, found[0][0]
    if given:
        return first, rest, None, None
    return first, rest, ("disaggregated, no copies given, and no public recipe fits" if not found else
                         "disaggregated, no copies given, and more than one public recipe fits"), None


def read_copies(cells, p, d):
    """Sweeps of aiconfigurator's own write the clients of one of several copies as the batch: 448
    clients and 14 of Qwen3 32B on pairs of GPUs, 320 and 40 of DeepSeek on eights, 64 GPUs both."""
    clients, batch = number(cells, "silicon_concurrency"), number(cells, "batch_size")
    if not own_sweep(cells):
        return None
    if clients <= 0:
        return "how many clients asked is not given"
    if 0 < batch < clients and d["dp"] <= 1:
        p["clients"], p["requests"] = int(batch), 10 * int(batch)
    return None


def rounds(p, date):
    """Requests of a client of two pools: the scripts that drive them (NVIDIA/srt-slurm sa-bench/bench.sh at
    88ff268d of 2026-01-23 ten; 7da82281 before, and ai-dynamo/dynamo's vllm/bench.sh, SGLang five;
    performance_sweeps/benchmark_disagg.slurm, TensorRT-LLM, eight). All start at once, so the first round waits."""
    if date >= "2026-01-23":
        return 10
    return 5 if p["engine"].startswith("sglang") else 8


def read_silicon(cells, _):
    """Ten requests per client, lengths even from .8 of the nominal ones up."""
    p = plan(shortest=0.8, prompts="random")
    reason = name(p, word(cells, "model_path"), word(cells, "system"), word(cells, "backend"),
                  word(cells, "backend_version"))
    split = word(cells, "mode") == "disagg"
    p["ttft_ms"], p["tpot_ms"] = scaled(cells, "silicon_ttft_ms"), scaled(cells, "silicon_tpot_ms")
    read_formats(p, word(cells, "precision") or word(cells, "gemm_quant_mode"))
    read_scripts(cells, p)
    prompt, output = number(cells, "isl"), number(cells, "osl")
    lengths(p, prompt, output)
    p["clients"] = int(number(cells, "silicon_concurrency", number(cells, "batch_size")))
    p["requests"] = (rounds(p, word(cells, "measured_at")) if split else 10) * p["clients"]
    read_graphs(cells, p, prompt)
    d = part(cells, "decode_" if split else "")
    if not split and not own_sweep(cells):
        undo_products(cells, d)
    read_early_minimax(cells, p, d)
    read_early_gpt_oss(cells, p, d)
    read_waiting(cells, p, d, prompt, output)
    if not own_sweep(cells):
        read_glm(p)
    first, line = None, None
    if split:
        first, d, unknown, line = read_split(cells, p, d, prompt, output)
        share_experts(p, first)
    else:
        unknown = read_copies(cells, p, d)
    share_experts(p, d)
    p.update(tp=d["tp"], pp=d["pp"], dp=d["dp"], ep=d["ep"])
    if first:
        p.update({"prefill_" + key: first[key] for key in ("tp", "pp", "dp", "ep", "copies")})
        p["decode_copies"] = d["copies"]
    if line:
        p["recipe"] = (line, word(cells, "measured_at"), p["clients"])
    reason = reason or unknown
    if not reason and not own_sweep(cells) and server_limited(p):
        reason = "more clients than its script configures, which limits the server to how many is not given"
    return [dict(p, reason=reason)]


# ---- TensorRT-LLM's pages

def read_overview(cells, _):
    """The overview of 1.0: all requests at once. Models of experts on several GPUs: with attention data
    parallelism."""
    p = plan()
    reason = name(p, word(cells, "model"), word(cells, "gpu"), "trtllm", "1.0")
    p["output_tokens_per_s"] = scaled(cells, "total_out_tok_s")
    read_formats(p, word(cells, "dtype"))
    lengths(p, number(cells, "isl"), number(cells, "osl"))
    p.update(requests=int(min(number(cells, "num_requests"), 6000)), client="trtllm-bench", tp=degree(cells, "tp"))
    if not reason and p["tp"] > 1 and has_experts(p["model"]):
        p.update(tp=1, dp=p["tp"], ep=p["tp"])
    return [dict(p, reason=reason)]


def read_static(cells, _):
    """0.6: one batch, gptManagerBenchmark; throughput per GPU but for the L40S."""
    p, unit = plan(), word(cells, "gpu_and_unit")
    reason = name(p, word(cells, "model"), unit, "trtllm")
    p["tp"] = degree(cells, "tp")
    p["ttft_ms"], p["output_tokens_per_s"] = scaled(cells, "first_token_ms"), scaled(cells, "throughput", p["tp"])
    read_formats(p, unit)
    lengths(p, number(cells, "input_len"), number(cells, "output_len"))
    p.update(requests=int(number(cells, "batch")), engine="trtllm-0.6", fits=1, client="engine")
    p["max_sequences"] = limited(p["requests"])
    return [dict(p, reason=reason)]


def batch(p, cells, requests, prompt, output):
    lengths(p, number(cells, prompt), number(cells, output))
    p["requests"] = int(number(cells, requests))
    p["max_sequences"] = limited(p["requests"])


def read_nemo(cells, _):
    """Two GPUs in a row."""
    rows = []
    for gpu, column in (("a100", "latency_ms_a100_80gb_sxm4"), ("h100", "latency_ms_h100_80gb")):
        p = plan(batch_s=scaled(cells, column, 1e-3), tp=degree(cells, "tp"))
        reason = name(p, word(cells, "model"), gpu, "trtllm")
        batch(p, cells, "batch", "input_len", "output_len")
        rows.append(dict(p, reason=reason))
    return rows


def read_profiled(cells, _):
    """SageServe's profiles of 2024: prompt_time, the decoding of all tokens after it, and both. Of a batch
    prompt_time does not grow with the number of prompts: it is that of the first one, and what follows
    has the prompts of the others in it, so the whole alone can be compared."""
    p, tokens, size = plan(), number(cells, "token_size"), number(cells, "batch_size")
    reason = name(p, word(cells, "model"), word(cells, "hardware"), "vllm")
    p["engine"] = "vllm-v0"
    if size <= 1:
        p["ttft_ms"] = scaled(cells, "prompt_time", 1e3)
        if tokens > 1:
            p["tpot_ms"] = scaled(cells, "token_time", 1e3 / tokens)
    p["batch_s"], p["tp"] = scaled(cells, "e2e_time"), degree(cells, "tensor_parallel")
    batch(p, cells, "batch_size", "prompt_size", "token_size")
    return [dict(p, reason=reason)]


# ---- sweeps over clients

def end_early(p, mean, most):
    """Answers that end by themselves: of those as long as they may be and shorter ones alike, so that
    their mean is what was made. Prompts stay as they are."""
    if most > mean > most / 2:
        p["shortest"] = 2 * mean / most - 1


def read_sweep(cells, _):
    p = plan(statistic="median")
    reason = name(p, word(cells, "model"), word(cells, "gpu"), word(cells, "engine"))
    p["clients"] = int(number(cells, "concurrency", number(cells, "concurrent_requests")))
    requests = number(cells, "n_requests", max(10.0 * p["clients"], 100))
    made = number(cells, "total_out_tokens")
    p["ttft_ms"], p["tpot_ms"] = scaled(cells, "ttft_p50_ms"), scaled(cells, "tpot_p50_ms")
    p["output_tokens_per_s"] = scaled(cells, "out_tok_s")
    output = made / requests if made > 0 and requests > 0 else number(cells, "output_len")
    p["prompt_tokens"], p["output_tokens"] = number(cells, "input_len"), output
    end_early(p, output, number(cells, "output_len_max"))
    p.update(requests=int(requests), tp=degree(cells, "n_gpus"))
    return [dict(p, reason=reason)]


# ---- GPUStack's lab: the command that started the engine

FLAGS = {"tp": ["-tp", "--tensor-parallel-size", "--tp", "--tp_size", "--tp-size"],
         "pp": ["-pp", "--pipeline-parallel-size", "--pp_size", "--pp-size"],
         "max_sequences": ["--max-num-seqs", "--max-running-requests", "--max_batch_size"],
         "max_tokens": ["--max-num-batched-tokens", "--chunked-prefill-size", "--max_num_tokens"],
         "memory_share": ["--gpu-memory-utilization", "--mem-fraction-static",
                          "--kv_cache_free_gpu_memory_fraction"]}

UNKNOWN = ["speculative", "mtp", "eagle", "lmcache", "hicache", "--quantization", "Int8", "W8A8",
           "offload", "enforce-eager", "disable-cuda-graph", "two-batch"]


def flag(line, flags, otherwise=0):
    """The number after the last of the flags that is there: "-tp 2" and "-tp=2"."""
    value = otherwise
    for one in flags:
        for found in re.finditer(r"(?:^| )" + re.escape(one) + r"[ =]\s*([0-9.eE+-]+)", line):
            try:
                number_of = float(found.group(1))
            except ValueError:
                continue
            if 0 < number_of <= 1 << 20:
                value = number_of
                break
    return value


def sharing_ranks(line):
    """SGLang: "--enable-dp-attention" and how many ranks; without a number versions differ."""
    if "dp-attention" not in line:
        return 1
    return int(flag(line, ["--dp-size"], flag(line, ["--dp"], 0)))


def read_flags(p, line):
    p["tp"], p["pp"] = int(flag(line, FLAGS["tp"], 1)), int(flag(line, FLAGS["pp"], 1))
    if "--enable-expert-parallel" in line or "--moe-a2a-backend" in line:  # a group of each rank
        p["ep"] = p["tp"]
    p["ep"] = int(flag(line, ["--ep-size"], flag(line, ["--ep_size"], p["ep"])))
    ranks = sharing_ranks(line)  # of the tensor-parallel ones
    if ranks > 1 and p["tp"] % ranks == 0:
        p["dp"], p["tp"] = ranks, p["tp"] // ranks
    p["max_sequences"] = int(flag(line, FLAGS["max_sequences"])) or None
    p["max_tokens"] = int(flag(line, FLAGS["max_tokens"])) or None
    share = flag(line, FLAGS["memory_share"])
    p["memory_share"] = share if 0 < share < 1 else None


FIGURES = ["dur_s", "ttft_mean", "ttft_p99", "tpot_mean"]


def figures_copied(cells, table, at):
    """Whether a row of another GPU or model before this one has the same figures: a copied page."""
    mine = [word(cells, figure) for figure in FIGURES]
    return all(mine) and any(
        mine == [word(other, figure) for figure in FIGURES]
        and (word(other, "gpu_doc"), word(other, "model")) != (word(cells, "gpu_doc"), word(cells, "model"))
        for other in table[:at])


def model_of(cells, line):
    """A page of one model, or of several that are told apart by the command: the word with a slash."""
    page = word(cells, "model")
    found = re.search(r"[^ ]*/[^ ]*", line)
    return page if not found or model_in(page) else found.group(0)


def read_load(p, cells, label):
    """Chats vary in length; random prompts are all alike, and slow to tokenize."""
    requests = number(cells, "n_req")
    prompt = number(cells, "tot_in") / max(requests, 1)
    output = number(cells, "tot_out") / max(requests, 1)
    whole = any(abs(mean - round(mean)) < 1e-6 for mean in (prompt, output))  # chats never are
    is_random = whole or "random" in label
    p.update(requests=int(requests), clients=int(number(cells, "max_conc")), prompt_tokens=prompt,
             output_tokens=output, prompts="random" if is_random else "", spread=0 if is_random else 1)


def read_command(cells, context):
    """Degrees and limits are in the command, limits that were tried one after the other in the label
    beside the figures."""
    p, label, command = plan(), word(cells, "nearest_label"), word(cells, "serving_command")
    line = f"{label} {command}" if label.startswith("--") else command
    reason = name(p, model_of(cells, line), word(cells, "gpu_doc"), line)
    medians = number(cells, "ttft_mean") <= 0
    p["statistic"] = "median" if medians else ""
    p["ttft_ms"] = scaled(cells, "ttft_p50" if medians else "ttft_mean")
    p["tpot_ms"] = scaled(cells, "tpot_p50" if medians else "tpot_mean")
    p["output_tokens_per_s"] = scaled(cells, "out_tok_s")
    model = p["model"] or ""
    p["weights"] = ("mxfp4" if "gpt-oss" in model else
                    "int4" if four_integer_bits(line) else
                    "fp8" if "FP8" in line or (model and released_narrow(model)) else "bf16")
    p["cache"] = "fp8" if "kv-cache-dtype" in line and "fp8_e4m3" in line else "bf16"
    read_flags(p, line)
    read_load(p, cells, label)
    odd = next((one for one in UNKNOWN if one in line), None)
    if not odd and sharing_ranks(line) < 1:
        odd = "dp-attention without ranks"
    if not reason and "Backend Parameters" in label and "Optimized" not in label:
        reason = "the command beside it is the page's last one, not its own"
    elif not reason and not line:
        reason = "the command that started the engine is not given"
    elif not reason and odd:
        reason = f"'{odd}' of the engine is not modelled"
    elif not reason and figures_copied(cells, *context):
        reason = "the same figures stand on another GPU's page"
    return [dict(p, reason=reason)]


# ---- single requests

def read_requests(cells, context):
    """LLMServingSim's runs, a request a line: 128 sequences and 2,048 tokens an iteration, Qwen3 32B on
    two GPUs (meta.json beside them, github casys-kaist/LLMServingSim@5daddb21)."""
    table, at = context
    same = lambda a, b: (word(a, "hardware"), word(a, "model")) == (word(b, "hardware"), word(b, "model"))
    if at > 0 and same(table[at - 1], cells):
        return []  # of the run above
    run = []
    while at + len(run) < len(table) and same(table[at + len(run)], cells):
        run.append(table[at + len(run)])
    p = plan(max_sequences=128, max_tokens=2048, client="engine")
    reason = name(p, word(cells, "model"), word(cells, "hardware"), "vllm")
    p["tp"] = 2 if p["model"] == "qwen3-32b" else 1
    times = [(number(r, "queued_s", -1), number(r, "first_token_s", -1), number(r, "last_token_s", -1),
              number(r, "input_toks"), number(r, "output_toks")) for r in run]
    put = [t[0] for t in times]
    p["requests"] = len(run)
    p["arrivals"] = " ".join(f"{t[0]!r}:{int(t[3])}:{int(t[4])}" for t in times)
    p["prompt_tokens"] = sum(t[3] for t in times) / len(run)
    p["output_tokens"] = sum(t[4] for t in times) / len(run)
    p["ttft_ms"] = 1e3 * sum(t[1] - t[0] for t in times) / len(run)
    p["answer_s"] = sum(t[2] - t[0] for t in times) / len(run)
    each = [(t[2] - t[1]) / (t[4] - 1) for t in times if t[4] > 1]
    p["tpot_ms"] = 1e3 * sum(each) / len(each) if each else None
    if any(t[0] < 0 or t[1] < t[0] or t[2] < t[1] or t[3] < 1 or t[4] < 1 for t in times):
        reason = reason or "a request of the run has no lengths, or times that do not rise"
    if put != sorted(put):
        reason = reason or "requests of the run are not in order"
    return [dict(p, reason=reason)]


# ---- MLPerf

def workload_in(words):
    """The workload whose name is the longest beginning of the benchmark's."""
    return longest(WORKLOADS, squeeze("mlperf" + words))


def harness(cells):
    """Submitters' harness: NVIDIA's (_TRT) builds engines in rounds of 2024; others run vLLM."""
    own = ("LLM" in word(cells, "system") or "AMD" in word(cells, "accelerator")
           or "RedHat" in word(cells, "submitter"))
    return "vllm" if own else "trtllm-0.17" if word(cells, "round").startswith("v4") else "trtllm"


def read_mlperf(cells, _):
    """Layout and format are what a search finds best, or what NVIDIA's submission sets on that GPU."""
    scenario, system = word(cells, "scenario"), word(cells, "system")
    offline, chat = scenario == "Offline", scenario == "Interactive"
    p = plan(output_tokens_per_s=scaled(cells, "tokens_per_s" if offline else "completed_tokens_per_s"))
    p["workload"] = workload_in(word(cells, "model"))
    if p["workload"] and chat and "interactive" not in p["workload"]:
        p["workload"] += "-interactive"
    p["gpu"], p["engine"] = gpu_in(word(cells, "accelerator")), harness(cells)
    p.update(scenario="offline" if offline else "server", gpus=degree(cells, "accelerators_per_node"),
             boxes=degree(cells, "nodes"))
    reason = None
    if p["workload"] not in WORKLOADS:
        reason, p["workload"] = f"workload '{word(cells, 'model'):.60}' is not built in", p["workload"]
    elif not p["gpu"]:
        reason = f"GPU '{word(cells, 'accelerator'):.60}' is not built in"
    elif word(cells, "category") == "open":
        reason = "the open division may change the model"
    elif "MaxQ" in system:
        reason = "run below the GPU's power limit, by how much is not given"
    return [dict(p, reason=reason)]


# ---- points that lack the plan

def read_chart(cells, _):
    p = plan(output_tokens_per_s=scaled(cells, "tok_s_per_gpu"))
    reason = name(p, word(cells, "model"), word(cells, "gpu"), "")
    return [dict(p, reason=reason or "a point of a chart: engine, degrees and GPUs are not given")]


def read_pools(cells, _):
    p = plan(output_tokens_per_s=scaled(cells, "decode_tgs_actual"))
    reason = name(p, word(cells, "model"), word(cells, "gpu"), "")
    return [dict(p, reason=reason or "rates of pools: lengths, batch and degrees are not given")]


# ---- tables

FORMS = [  # two columns that only this form has; its reader, or what its lines are
    ("silicon_tpot_ms", "model_path", read_silicon), ("total_out_tok_s", "num_requests", read_overview),
    ("gpu_and_unit", "throughput", read_static), ("latency_ms_h100_80gb", "batch", read_nemo),
    ("prompt_time", "token_time", read_profiled), ("serving_command", "ttft_p50", read_command),
    ("queued_s", "first_token_s", read_requests), ("accelerators_per_node", "scenario", read_mlperf),
    ("concurrency", "ttft_p50_ms", read_sweep), ("concurrent_requests", "ttft_p50_ms", read_sweep),
    ("interactivity_tok_s_user", "tok_s_per_gpu", read_chart),
    ("prefill_tgs_actual", "decode_tgs_actual", read_pools),
    ("arrival", "input_toks", "arrivals of a trace, for ceiling demand --trace"),
    ("gen_throughput", "kv_cache_pct", "an engine's log, second by second"),
    ("metric", "vllm_ms", "statistics over requests that stand in another table"),
    ("engine_kwargs", "dataset", "how the runs of another table were started")]


def same_figure(a, b):
    """To the digits that exports of the same measurements are rounded to."""
    return a is not None and b is not None and abs(a - b) <= 1e-5 * abs(a)


def same_measurement(a, b):
    return (a["gpu"] and a["gpu"] == b["gpu"] and a.get("clients", 0) == b.get("clients", 0)
            and all(same_figure(a.get(key), b.get(key))
                    for key in ("ttft_ms", "tpot_ms", "prompt_tokens", "output_tokens")))


def without_copies(rows):
    """Databases are dumped more than once, with more or fewer columns: of lines about one measurement
    the first that can be predicted stays, or the first."""
    gone = set()
    for i, a in enumerate(rows):
        for j in range(i + 1, len(rows)):
            if i in gone:
                break
            if j not in gone and same_measurement(a, rows[j]):
                gone.add(i if a["reason"] and not rows[j]["reason"] else j)
    return [row for i, row in enumerate(rows) if i not in gone], len(gone)


def refuse_doubles(rows):
    """Of one day, from one recipe and with as many clients there is one measurement: more of them say
    that a recipe is missing."""
    recipe = [row.get("recipe") for row in rows]
    for row in rows:
        if row.get("recipe") and recipe.count(row["recipe"]) > 1:
            row["reason"] = "disaggregated, and more rows of one day fit the only public recipe"


def read_table(path):
    text = pathlib.Path(path).read_text()
    reader = csv.DictReader(io.StringIO(text))
    table, lines, line = [], [], 2
    for cells in reader:
        table.append(cells)
        lines.append(line)
        line = reader.line_num + 1
    columns = reader.fieldnames or []
    form = next((f for f in FORMS if f[0] in columns and f[1] in columns), None)
    source = re.sub(r"\.csv.*", "", pathlib.Path(path).name)
    if not form:
        sys.exit(f"{path}: no known form of serving table")
    if isinstance(form[2], str):
        print(f"{path}: {len(table)} lines left out: {form[2]}", file=sys.stderr)
        return []
    rows = []
    for at, cells in enumerate(table):
        for row in form[2](cells, (table, at)):
            rows.append(dict(row, id=word(cells, "id") or f"{source}:{lines[at]}", source=source))
    rows, copies = without_copies(rows)
    if copies:
        print(f"{path}: {copies} lines left out: copies of rows of the same table", file=sys.stderr)
    refuse_doubles(rows)
    return rows


def cell(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    return str(value)


def main(paths):
    if not paths:
        sys.exit(__doc__.splitlines()[0])
    out = csv.writer(sys.stdout, lineterminator="\n")
    rows = [row for path in paths for row in read_table(path)]
    used = [column for column in COLUMNS if any(cell(row.get(column)) for row in rows)]
    for column in ("prompt_tokens", "output_tokens_per_s"):  # by which the form is known
        if column not in used:
            used.append(column)
    out.writerow(used)
    for row in rows:
        out.writerow([cell(row.get(column)) for column in used])


if __name__ == "__main__":
    main(sys.argv[1:])
