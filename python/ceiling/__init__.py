"""What a training or serving job needs, how long it takes, and where adding GPUs stops paying.

    import ceiling
    best = ceiling.plan("llama-3.1-70b", gpus=512, seq=8192, global_batch="4Mtok")["best"]
    ceiling.scale("llama-3.1-8b", gpus="8..4096")       # a notebook shows the curve

Arguments are the flags of the command line, '_' for '-'; values are what one would write after them. True is a switch,
a list repeats a flag, a pathlib.Path is a file to read. An answer is what `ceiling COMMAND --json` prints, as a dict.
`ceiling schema` lists commands and flags. Needs the standard library alone.
"""

import ctypes
import ctypes.util
import functools
import json
import os
import pathlib

__all__ = ["Answer", "Error", "ask", "version"]  # and the commands, which __getattr__ finds


class _Text(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("answered", ctypes.c_bool),
                ("memory", ctypes.c_void_p)]


_Progress = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_double)


def _open():
    """The library: the one named by CEILING_LIBRARY, the one in the wheel, the one installed."""
    names = [os.environ.get("CEILING_LIBRARY"), *sorted(map(str, pathlib.Path(__file__).parent.glob("libceiling.*"))),
             ctypes.util.find_library("ceiling")]
    for name in filter(None, names):
        library = ctypes.CDLL(name)
        library.ceiling_open.argtypes = []
        library.ceiling_open.restype = ctypes.c_void_p
        library.ceiling_ask_in.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, _Progress, ctypes.c_void_p]
        library.ceiling_ask_in.restype = _Text
        library.ceiling_release.argtypes = [ctypes.POINTER(_Text)]
        library.ceiling_release.restype = None
        library.ceiling_version.argtypes = []
        library.ceiling_version.restype = ctypes.c_char_p
        return library
    raise ImportError("libceiling is not here: install the wheel that carries it, or say where it is in CEILING_LIBRARY")


_library = _open()
_session = _library.ceiling_open()  # data files are read once for all questions


class Error(ValueError):
    """A question that cannot be answered. `about` has message, mend, field, file, line and column."""

    def __init__(self, about):
        super().__init__(about["sentence"])
        self.about = about


class Answer(dict):
    """The members of the JSON; `text` is the JSON itself, `request` what was asked."""

    def __init__(self, text, request):
        super().__init__(json.loads(text))
        self.text = text
        self.request = request

    def svg(self):
        """The picture that --svg writes; None where the command draws none."""
        if not _commands().get(self.request["command"], {}).get("drawn"):
            return None
        return json.loads(_call({**self.request, "picture": True}, None))["svg"]

    def frame(self):
        """Points of a curve, plans of a search or clusters as a pandas DataFrame, nested members as 'a.b'."""
        import pandas  # only who asks for a frame needs it

        rows = self.get("points") or self.get("clusters") or [self.get("best") or dict(self)] + self.get("alternatives", [])
        return pandas.json_normalize(rows)

    def _repr_svg_(self):
        return self.svg()


def _call(request, progress):
    raised = []

    def tell(_, share):
        try:
            return progress is None or progress(share) is not False
        except BaseException as fault:  # it cannot pass through the library: raised again below
            raised.append(fault)
            return False

    said = json.dumps(request).encode()
    answer = _library.ceiling_ask_in(_session, said, len(said), _Progress(tell), None)
    try:
        text, answered = ctypes.string_at(answer.text, answer.bytes).decode(), answer.answered
    finally:
        _library.ceiling_release(ctypes.byref(answer))
    if raised:
        raise raised[0]
    if not answered:
        raise Error(json.loads(text)["error"])
    return text


def _value(value):
    if isinstance(value, pathlib.Path):
        return {"name": value.name, "text": value.read_text(encoding="utf-8")}
    if isinstance(value, (list, tuple)):
        return [str(one) for one in value]
    return value if isinstance(value, (bool, dict)) else str(value)


def ask(command, model=None, *files, progress=None, **flags):
    """Asks any command. `model` is a preset or the path of a config.json; it and what follows may be paths of a job's
    files, which `read` only takes. `progress` is told shares from 0 to 1 and stops the search by returning False."""
    request = {"command": command}
    paths = [pathlib.Path(path) for path in files]
    if isinstance(model, pathlib.Path) and model.suffix == ".json" and command != "read":
        request.update(model=model.name, config=model.read_text(encoding="utf-8"))
    elif isinstance(model, pathlib.Path) or (model is not None and command == "read"):
        paths.insert(0, pathlib.Path(model))
    elif model is not None:
        request["model"] = model
    if paths:
        request["files"] = [_value(path) for path in paths]
    request.update((flag.replace("_", "-"), _value(value)) for flag, value in flags.items() if value is not None)
    return Answer(_call(request, progress), request)


def _command(name, does):
    def asked(model, *files, progress=None, **flags):
        return ask(name, model, *files, progress=progress, **flags)

    asked.__name__ = asked.__qualname__ = name
    asked.__doc__ = f"{does[0].upper()}{does[1:]}. `ceiling help` says more, `ceiling schema` lists the flags."
    return asked


@functools.cache
def _commands():
    return {one["name"]: one for one in ask("params")["commands"]}


def __getattr__(name):
    """Every command that is asked about a model is a function: plan, explain, scale and the others."""
    if name.startswith("_") or name not in _commands():
        raise AttributeError(f"module 'ceiling' has no attribute '{name}'")
    return globals().setdefault(name, _command(name, _commands()[name]["summary"]))


def __dir__():
    return sorted({*globals(), *_commands()})


def version():
    """Of the library: major.minor.patch."""
    return _library.ceiling_version().decode()
