"""The package as a notebook uses it: use.py FOLDER EXPLAIN.json CURVE.svg CONFIG.json"""
import pathlib
import sys
import threading

folder, explained, drawn, config = sys.argv[1:]
sys.path.insert(0, folder)
import ceiling  # noqa: E402

passed = failed = 0


def check(what, good):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(what)


def raised(kind, ask):
    try:
        ask()
    except kind as fault:
        return fault
    return None


check("it is the one unpacked", ceiling.__file__.startswith(folder))
answer = ceiling.explain("llama-2-7b", gpus=8, fix=["tp=2"], offload=True)
check("the bytes of the command line", answer.text == pathlib.Path(explained).read_text())
check("a dictionary", answer["layout"]["tp"] == 2 and answer["step_s"] > 0)
check("a plan", ceiling.plan("llama-2-7b", gpus="8")["best"]["memory"]["fits"])
curve = ceiling.scale("llama-2-7b", gpus="8,16")
check("a notebook shows the curve", curve._repr_svg_() == pathlib.Path(drawn).read_text())
check("and no picture where none is drawn", answer._repr_svg_() is None)
own = ceiling.plan(pathlib.Path(config), gpus=16)
check("a config.json of one's own", own["best"]["layout"]["dp"] >= 1)
fault = raised(ceiling.Error, lambda: ceiling.plan("llama-2-7c", gpus=8))
check("an error says what to do", fault and "did you mean llama-2-7b" in str(fault) and fault.about["mend"])
check("a flag that is not there", "--gpsu" in str(raised(ceiling.Error, lambda: ceiling.plan("llama-2-7b", gpsu=8))))
shares = []
check("progress is told", ceiling.plan("llama-3.1-70b", gpus=64, progress=lambda share: shares.append(share)) and shares and all(0 <= s <= 1 for s in shares))
stopped = ceiling.plan("llama-3.1-70b", gpus=64, progress=lambda share: False)
check("and stops the search", stopped["search"]["complete"] is False)
check("what it raises comes out", raised(ZeroDivisionError, lambda: ceiling.plan("llama-3.1-70b", gpus=64, progress=lambda share: 1 / 0)))
job = pathlib.Path(folder, "sft.yaml")
job.write_text("model_name_or_path: Qwen/Qwen2.5-7B\nfinetuning_type: full\ncutoff_len: 4096\nper_device_train_batch_size: 2\n")
check("the files of a job", ceiling.read(job)["model"]["name"] == "qwen2.5-7b" == ceiling.read(str(job))["flags"]["model"])
check("in a model's place", ceiling.plan(job, gpus=8)["best"]["layout"]["dp"] >= 1)
texts = []
threads = [threading.Thread(target=lambda: texts.append(ceiling.explain("llama-2-7b", gpus=8, fix=["tp=2"], offload=True).text)) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
check("threads ask at the same time", texts == [answer.text] * 4)
try:
    import pandas  # noqa: F401
except ImportError:
    check("without pandas it says so", raised(ImportError, curve.frame))
else:
    check("a frame", list(curve.frame()["gpus"]) == [8, 16])
check("every name is there", all(hasattr(ceiling, one) for one in ceiling.__all__))
commands = [one["name"] for one in ceiling.ask("params")["commands"]]
check("every command is a function", {"plan", "why", "measure"} <= set(commands) and set(commands) <= set(dir(ceiling))
      and all(callable(getattr(ceiling, one)) and getattr(ceiling, one).__doc__ for one in commands))
check("and what is no command is not there", not hasattr(ceiling, "plam") and raised(AttributeError, lambda: ceiling.plam))
check("a collective is drawn", ceiling.collective("all-reduce", gpus="8,16").svg().startswith("<svg"))
check("a version", ceiling.version().count(".") == 2)
print(f"{passed} passed, {failed} failed")
