from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Protocol, Sequence, Union

Value = Union[str, int, float, bool, Path, Sequence[Union[str, int]], Mapping[str, str], None]
Progress = Optional[Callable[[float], Optional[bool]]]

class Error(ValueError):
    about: dict[str, Any]

class Answer(dict[str, Any]):
    text: str
    request: dict[str, Any]
    def svg(self) -> Optional[str]: ...
    def frame(self) -> Any: ...

class Command(Protocol):
    def __call__(self, model: Union[str, Path], *files: Union[str, Path], progress: Progress = ..., **flags: Value) -> Answer: ...

def ask(command: str, model: Union[str, Path, None] = ..., *files: Union[str, Path], progress: Progress = ..., **flags: Value) -> Answer: ...
def version() -> str: ...
def __getattr__(name: str) -> Command: ...  # plan, explain, scale and the other commands
