"""What tools/tables/serving.py makes of rows of published tables; prints N passed, N failed."""

import importlib.util
import io
import pathlib
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
spec = importlib.util.spec_from_file_location("serving", TOP / "tools" / "tables" / "serving.py")
serving = importlib.util.module_from_spec(spec)
spec.loader.exec_module(serving)

passed = failed = 0


def check(words, what):
    global passed, failed
    passed, failed = passed + bool(what), failed + (not what)
    if not what:
        print("failed:", words)


def table(text, name="lab.csv"):
    """The rows of a table, as plans."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_text(text)
        stderr, sys.stderr = sys.stderr, io.StringIO()
        try:
            return serving.read_table(path)
        finally:
            sys.stderr = stderr


def has(row, **values):
    return all(row.get(key) == value for key, value in values.items())


# ---- commands of GPUStack's lab

HEAD = ("model,gpu_doc,serving_command,nearest_label,n_req,dur_s,tot_in,tot_out,out_tok_s,max_conc,ttft_mean,"
        "ttft_p50,ttft_p99,tpot_mean,tpot_p50\n")
a, b, c, copied, odd, none = table(
    HEAD + "gpt-oss-120b,h100,vllm serve x -tp=2 --max-num-seqs 300,--max-num-batched-tokens 4096,1000,20,215000,"
    "196000,7000,,4000,3000,9000,50,40\n"
    "gpt-oss-120b,a100,python3 -m sglang.launch_server --tp-size 4 --ep-size 4 --mem-fraction-static 0.7,"
    "random 128 input,500,21,64000,2000,90,4,,3100,9000,,41\n"
    "qwen3-32b,h100,trtllm-serve x --max_num_tokens 900 --tp_size 2,ShareGPT,10,22,2150,1960,70,,1,1,2,3,4\n"
    "qwen3-32b,h200,trtllm-serve x,ShareGPT,10,22,2150,1960,70,,1,1,2,3,4\n"
    "qwen3-32b,h200,trtllm-serve x --quantization y,ShareGPT,10,23,2150,1960,70,,5,1,2,3,4\n"
    "qwen3-32b,h200,,ShareGPT,10,23,2150,1960,70,,6,1,2,3,4\n")
check("degrees, limits and formats of the command",
      not a["reason"] and has(a, tp=2, ep=1, max_sequences=300, weights="mxfp4", engine="vllm"))
check("ranks, clients and memory of another engine's",
      not b["reason"] and has(b, tp=4, ep=4, clients=4, memory_share=0.7, engine="sglang"))
check("a third engine's", not c["reason"] and has(c, tp=2, max_tokens=900, engine="trtllm"))
check("a limit in the label is one that was tried", has(a, max_tokens=4096) and not b["max_tokens"])
check("means are compared", has(a, ttft_ms=4000, tpot_ms=50) and not a["statistic"])
check("medians where there are none", has(b, ttft_ms=3100, tpot_ms=41, statistic="median"))
check("random prompts are alike, chats are not", has(b, prompts="random", spread=0))
check("figures of another GPU's page", "another GPU's page" in copied["reason"])
check("a format that is not modelled; no command", "--quantization" in odd["reason"] and "command" in none["reason"])


def lab(model, command, label=""):
    return table("model,gpu_doc,serving_command,nearest_label,n_req,tot_in,tot_out,out_tok_s,ttft_mean,ttft_p50\n"
                 f"{model},h200,{command},{label},100,100000,50000,9,5,5\n")[0]


row = lab("deepseek-v3.2", "vllm serve deepseek-ai/DeepSeek-V3.2 -tp 8")
check("DeepSeek is published in 8 bit", not row["reason"] and has(row, weights="fp8", cache="bf16", dp=1))
row = lab("deepseek-v3.2", "sglang.launch_server --model deepseek-ai/DeepSeek-V3.2 --tp-size 8 --dp 4 "
          "--enable-dp-attention --kv-cache-dtype fp8_e4m3")
check("ranks that share sequences are of the tensor-parallel ones", has(row, tp=2, dp=4, ep=1, cache="fp8"))
row = lab("glm-5.2", "sglang.launch_server --model-path zai-org/GLM-5.2-FP8 --tp-size=8 --dp-size=8 "
          "--enable-dp-attention --moe-a2a-backend=deepep")
check("a group of experts for each rank", has(row, tp=1, dp=8, ep=8))
row = lab("deepseek-v3.2", "sglang.launch_server --tp-size 8 --enable-dp-attention")
check("how many ranks share is not guessed", "dp-attention without ranks" in row["reason"])
row = lab("deepseek-v3.2", "vllm serve deepseek-ai/DeepSeek-V3.2 -tp 8", "Baseline Backend Parameters:N/A")
check("nor which command made the figures", "not its own" in row["reason"])
row = lab("deepseek-v3.2", "vllm serve deepseek-ai/DeepSeek-V3.2 -tp 8", "Optimized Backend Parameters:")
check("unless it is the best one", not row["reason"])

# ---- lines without a measurement, points without a plan

check("arrivals are left out", table("file,idx,arrival,input_toks,output_toks\nx,0,5,10,10\n") == [])
check("summaries are", table("metric,vllm_ms\nTTFT,5\n") == [])
point = table("model,gpu,interactivity_tok_s_user,tok_s_per_gpu\nDeepSeek R1,MI300X,23,725\n")[0]
check("points of charts lack the plan", "not given" in point["reason"] and point["output_tokens_per_s"] == 725)

# ---- names

for model, gpu, name, board in [
        ("zai-org/GLM-4.6-FP8", "h100", "glm-4.5", "h100-sxm"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "A40 48GB", "qwen2.5-14b", "a40"),
        ("LLaMA 70B", "L40S FP8", "llama-2-70b", "l40s"), ("DeepSeek-R1", "H100-NVL-94GB", "deepseek-v3", "h100-nvl"),
        ("GPT-J 6B", "H100-PCIe-80GB", "gpt-j-6b", "h100-pcie"),
        ("GPT-J 6B", "GH200 Grace Hopper Superchip 144GB", "gpt-j-6b", "gh200-144gb"),
        ("zhipuai/GLM-5", "RTX 4090", "glm-5", "rtx-4090"), ("zai-org/GLM-5.2-FP8", "h200", "glm-5.2", "h200-sxm"),
        ("DeepSeek-V3.2-Exp", "a100", "deepseek-v3.2", "a100-sxm-80gb"), ("GPT-J 6B", "A30 PCIe", "gpt-j-6b", None)]:
    row = table(f"model,gpu,concurrency,ttft_p50_ms\n{model},{gpu},1,5\n")[0]
    check(f"{model} on {gpu}", has(row, model=name, gpu=board, statistic="median"))

# ---- InferenceX

SILICON = ("id,silicon_data_source,silicon_concurrency,backend,backend_version,model_path,system,precision,mode,isl,"
           "osl,tp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms,batch_size\n")


def silicon(line):
    return table(SILICON + line + "\n", "inferencex.csv")[0]


def minimax(version, system, tp):
    return silicon(f"a,db-dump,8,vllm,{version},MiniMaxAI/MiniMax-M2.5,{system},fp8,agg,1024,1024,{tp},1,{tp},1,80,9,")


def gpt_oss(clients, engine, version, system, tp, experts_tp, ep):
    return silicon(f"a,source_file,{clients},{engine},{version},openai/gpt-oss-120b,{system},fp4,agg,1024,1024,{tp},1,"
                   f"{experts_tp},{ep},80,9,")


for version, system, tp, ep, kernels in [("0.16.0", "h200_sxm", 4, 4, "grouped"), ("0.18.0", "h200_sxm", 8, 8, "whole"),
                                         ("0.17.0", "b200_sxm", 2, 2, "whole"), ("0.19.0", "b200_sxm", 2, 1, None)]:
    check(f"MiniMax under {version} on {tp} {system}", has(minimax(version, system, tp), tp=tp, ep=ep, experts=kernels))
row = minimax("0.19.0", "b200_sxm", 2)
check("graphs and iterations that scripts set", has(row, graph_tokens=2048, max_tokens=2048, graphs=serving.GRAPHS_TO_2048))
row = minimax("0.17.0", "b200_sxm", 2)
check("not before", not row.get("graph_tokens") and not row.get("max_tokens") and not row.get("graphs"))
row = gpt_oss(8, "vllm", "0.15.1", "b200_sxm", 2, 2, 1)
check("gpt-oss: graphs, not iterations", row["graph_tokens"] == 2048 and not row.get("max_tokens"))
check("not under TensorRT-LLM", not gpt_oss(8, "trtllm", "", "b200_sxm", 2, 2, 1).get("graph_tokens"))
check("as many groups of experts as GPUs on H200", has(gpt_oss(8, "trtllm", "", "h200_sxm", 4, 4, 1), tp=4, ep=4))
check("products undone", has(gpt_oss(8, "trtllm", "gpt-oss-dev", "h200_sxm", 16, 4, 4), tp=4, ep=4))
check("not on B200", has(gpt_oss(8, "trtllm", "", "b200_sxm", 4, 4, 1), ep=1))
check("as many clients as the script lets in", not gpt_oss(64, "vllm", "0.18.0", "h100_sxm", 4, 4, 1)["reason"])
check("more", "more clients than its script" in gpt_oss(512, "vllm", "0.11.2", "h100_sxm", 4, 4, 1)["reason"])
check("on another GPU", not gpt_oss(512, "vllm", "0.18.0", "b200_sxm", 4, 4, 1)["reason"])
glm = "a,db-dump,32,sglang,nightly,zhipuai/GLM-5,b200_sxm,%s,agg,1024,1024,8,1,8,1,80,9,"
check("GLM-5 in 8 bit", has(silicon(glm % "fp8"), max_tokens=32768, max_sequences=32, memory_share=0.85, cache="fp8",
                            tp=8, ep=1, prompt_tokens=1024 * 0.9))
check("integers: AWQ and GPTQ of 4 bits, whose cache stays in 16",
      has(silicon(glm % "int4"), weights="int4", cache="bf16")
      and [serving.four_integer_bits(one) for one in ("Qwen3-32B-AWQ", "x-GPTQ-Int4", "x-GPTQ-Int8", "FP8")]
      == [True, True, False, False])
check("GLM-5 in 4 bit", has(silicon(glm % "fp4"), weights="nvfp4", memory_share=0.9, max_sequences=None))
own = ("a,source_file=gb200/trtllm/1.3.0rc5/qwen.csv; x,%s,trtllm,1.3.0rc5,nvidia/Qwen3-32B-NVFP4,gb200,fp4,agg,15000,"
       "500,2,%s,,,746,13.7,%s")
check("clients of one of several copies", has(silicon(own % (448, 1, 14)), clients=14, requests=140))
check("of one copy", has(silicon(own % (7, 1, 7)), clients=7) and has(silicon(own % (7, "", "")), clients=7))
check("a batch is that of a rank", has(silicon(own % (28, 2, 14)), clients=28))
check("how many must be given", "not given" in silicon(own % ("", 1, 14))["reason"])

COPIES = ("id,silicon_tpot_ms,silicon_ttft_ms,model_path,system,backend,precision,mode,isl,osl,silicon_concurrency,"
          "tp_size,prefill_num_workers,prefill_tp_size,decode_num_workers,decode_tp_size,silicon_data_source\n")
rows = table(COPIES + "".join(
    f"{name},{tpot},{ttft},meta/Llama-3.1-70B,{gpu}_sxm,vllm,fp8,disagg,64,8,2,,{copies},4,{copies},4,x\n"
    for name, tpot, ttft, gpu, copies in [("a", "40.00001", "900.001", "h100", ""), ("b", "40.0", "900", "h100", 1),
                                          ("c", "40.0", "900", "h100", 1), ("d", "40.0", "900", "h200", 1),
                                          ("e", "40.1", "900", "h100", "")]))
check("of one measurement in three exports the row that can be predicted stays", [r["id"] for r in rows] == ["b", "d", "e"])
check("no recipe fits", "no public recipe" in rows[2]["reason"] and not rows[0]["reason"])

DOUBLES = ("id,silicon_tpot_ms,silicon_ttft_ms,model_path,system,backend,precision,mode,isl,osl,silicon_concurrency,"
           "prefill_tp_size,prefill_num_workers,decode_tp_size,decode_num_workers,measured_at,silicon_data_source\n")
line = "%s,%s,%s,deepseek-ai/DeepSeek-R1,gb300,trtllm,fp4,disagg,8192,1024,%s,2,,8,,2026-02-0%s,x\n"
a, b, c, d, e, f = table(DOUBLES + "".join(line % cells for cells in [
    ("a", 9, 4000, 72, 3), ("b", 7, 4000, 72, 4), ("c", 4, 2000, 33, 3), ("d", 6, 2000, 33, 3), ("e", 6, 2000, 34, 3),
    ("f", 6, 2000, 5, 3)]))
check("a recipe a day", not a["reason"] and not b["reason"])
check("two figures of one day, one recipe: neither is known to be of it",
      "only public recipe" in c["reason"] and "only public recipe" in d["reason"])
check("none and two fit", "no public recipe" in e["reason"] and "more than one public recipe" in f["reason"])
check("a recipe's copies and limits", has(a, decode_copies=3, decode_max_sequences=16, prefill_dp=2,
                                          prefill_max_tokens=2 * 16384) and not a.get("drafted"))
check("its speculation", has(c, drafted=3, decode_max_sequences=8, gained=2.5))

# ---- recipes

for r in serving.recipes():
    first, rest = serving.recipe_parts(r)
    check(f"built in: {r['cite']}", r["model"] in serving.MODELS and (serving.DATA / "gpu" / f"{r['gpu']}.json").exists())
    check(f"sound: {r['cite']}", first["ep"] >= 1 and serving.gpus(first) % first["ep"] == 0 and rest["ep"] >= 1
          and serving.gpus(rest) % rest["ep"] == 0 and rest["copies"] >= 1 and r["from"] <= r["until"] and r["cite"])
    name = serving.re.search(r"ctx(\d+)_gen(\d+)_([a-z]+)(\d+)_batch(\d+)_eplb\d+_mtp(\d+)", r["cite"])
    if name:
        check(f"named after what it sets: {r['cite']}",
              (int(name[1]), int(name[2]), int(name[4])) ==
              (first["copies"], rest["copies"], rest["tp" if name[3][0] == "t" else "dp"])
              and int(name[5]) == int(r["batch"]) and int(name[6]) == int(r["drafted"] or 0))

# ---- other pages

row = table("gpu_and_unit,model,batch,tp,input_len,output_len,throughput,kind,first_token_ms\n"
            "A100 FP16 (tok/s),LLaMA 7B,60,1,128,2048,1928,throughput,\n")[0]
check("one batch, all of it in memory", has(row, fits=1, engine="trtllm-0.6", client="engine", requests=60))
rows = table("model,tp,batch,input_len,output_len,latency_ms_a100_80gb_sxm4,latency_ms_h100_80gb\n"
             "LLaMA 2 70B,4,8,128,200,5000,3000\n")
check("two GPUs in a row", [(r["gpu"], r["batch_s"]) for r in rows] == [("a100-sxm-80gb", 5), ("h100-sxm", 3)])
rows = table("hardware,model,queued_s,first_token_s,last_token_s,input_toks,output_toks\n"
             "RTX PRO 6000,Qwen3-32B,0.5,1.5,3.5,100,5\nRTX PRO 6000,Qwen3-32B,1,3,4,50,1\n")
check("a run of requests is one row", len(rows) == 1 and has(rows[0], requests=2, tp=2, ttft_ms=1500, tpot_ms=500,
                                                             answer_s=3, arrivals="0.5:100:5 1.0:50:1"))

rows = table("""round,category,submitter,system,model,scenario,accelerator,accelerators_per_node,nodes,tokens_per_s,completed_tokens_per_s
v4.1,closed,A,box_TRT,llama2-70b-99.9,Offline,NVIDIA H200-SXM-141GB,8,1,31000,
v4.1,closed,A,box_TRT,llama2-70b-99.9,Offline,NVIDIA H200-SXM-141GB,8,3,93000,
v4.1,closed,B,box,mixtral-8x7b,Server,AMD MI300X,8,1,,40000
v4.1,open,A,box_TRT,llama2-70b-99,Offline,NVIDIA H200-SXM-141GB,8,1,31000,
v4.1,closed,A,box_MaxQ,llama2-70b-99,Offline,NVIDIA H200-SXM-141GB,8,1,31000,
v4.1,closed,A,box,llama2-70b-99,Offline,NVIDIA T4,8,1,3100,
v4.1,closed,A,box,bert-99,Offline,NVIDIA H200-SXM-141GB,8,1,3100,
v5.1,closed,A,box,llama2-70b-99,Interactive,NVIDIA H200-SXM-141GB,8,1,,9000
""", "mlperf.csv")
check("MLPerf: workload, board, harness and boxes", has(rows[0], workload="mlperf-llama2-70b", gpu="h200-sxm", gpus=8,
                                                        engine="trtllm-0.17", scenario="offline", reason=None))
check("several boxes; another harness", rows[1]["boxes"] == 3 and has(rows[2], engine="vllm", scenario="server"))
check("what is skipped", all(row["reason"] for row in rows[3:7]))
check("chats", has(rows[7], workload="mlperf-llama2-70b-interactive", engine="trtllm", output_tokens_per_s=9000))

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
