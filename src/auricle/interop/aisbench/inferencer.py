"""An inferencer class written for AISBench, as an inferencer of ours.

Each sample is one stay with the same object: its own data, its own questions, its own report.
The engine asks, batches, retries and keeps; the class decides what is asked and what is told.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import PurePath
from typing import Any, ClassVar

from auricle.core.errors import AuricleError, SampleError, SpecError, told
from auricle.core.types import Ability, Ask, Output, Sample
from auricle.interop.aisbench.adapters import (
    BaseRetriever,
    LentModel,
    Session,
    StatusCounter,
    TokenBucket,
)
from auricle.interop.aisbench.sample_session import SITTING, Sitting
from auricle.interop.aisbench.stubs import (
    ICL,
    KNOWN,
    LENDING,
    BaseInferencerOutputHandler,
    GenInferencerOutputHandler,
    data_list,
)
from auricle.interop.blame import raised_by
from auricle.prompts import Prompt
from auricle.tasks.inferencers.base import limit

WAYS = ("do_request", "batch_inference")
GIVEN = ("model_cfg", "mode", "output_json_filepath")
"""What every such class is made with, and nobody has to say."""
REAL_BASE = f"{ICL}.icl_inferencer.icl_base_inferencer"


class Kept:
    """The one object of a class, made when it is first needed, and what it holds open."""

    def __init__(self) -> None:
        self.object: Any = None
        self.session = Session()
        self.bucket = TokenBucket()
        self.numbers = count()


@dataclass(frozen=True)
class Ported:
    """Asks by a class of AISBench's: its `do_request`, or its `batch_inference` in a thread."""

    name: str
    prompt: Prompt
    arguments: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    abbr: str = field(default="", repr=False)
    made: type[Any] = field(default=object, repr=False)
    local: bool = field(default=False, repr=False)
    kept: Kept = field(default_factory=Kept, repr=False, compare=False)
    needs: ClassVar[Ability] = "generate"

    def beside(self, batch: bool) -> Ported:
        """The same for a model: a class with both ways is asked in the model's own."""
        return replace(self, local=batch)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        way = self._way
        sitting = Sitting(
            sample,
            ask,
            asyncio.get_running_loop(),
            local=way == "batch_inference",
            temperature=self.temperature,
            stop=self.stop,
        )
        token = SITTING.set(sitting)
        try:
            made = self.kept.object or self._make()
            with raised_by(self.name):
                await self._asked(made, sample, sitting)
        except Exception:
            if sitting.ended:  # nobody's failure, whatever the class made of it
                raise sitting.ended from None
            raise
        finally:
            SITTING.reset(token)
        return sitting.outputs(self.made.__name__)

    async def _asked(self, made: Any, sample: Sample, sitting: Sitting) -> None:
        rows = self._rows(made, sample)
        if sitting.local:
            await in_thread(lambda: made.batch_inference(_columns(rows)))
        else:
            for row in rows:
                await made.do_request(row, self.kept.bucket, self.kept.session)

    async def close(self) -> None:
        """Close the session, if one was used."""
        await self.kept.session.aclose()

    def notes(self) -> list[str]:
        """What the class counted."""
        counter = getattr(self.kept.object, "status_counter", None)
        if not isinstance(counter, StatusCounter) or not counter.post_req:
            return []
        return [f"{self.made.__name__} counted {counter}."]

    @property
    def _way(self) -> str:
        own = ways(self.made)
        return "batch_inference" if self.local and "batch_inference" in own else own[0]

    def _make(self) -> Any:
        """The class's object, with what is lent to it."""
        model = LentModel(self.abbr, self.max_tokens)
        given = {
            "model_cfg": {"type": "auricle", "abbr": self.abbr, "max_out_len": self.max_tokens},
            "mode": "infer",
            "output_json_filepath": "",
        }
        known = takes(self.made)
        arguments = {name: value for name, value in given.items() if name in known}
        try:
            with _lending(model):
                made = self.made(**arguments, **self.arguments)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            raise SpecError(
                f"{self.name} cannot be made: {type(error).__name__}: {told(error)}"
            ) from error
        if not hasattr(made, "output_handler"):
            raise SpecError(f"{self.name}: its __init__ should call super().__init__(model_cfg).")
        made.model, made.status_counter = model, StatusCounter()
        if not isinstance(made.output_handler, BaseInferencerOutputHandler):
            made.output_handler = GenInferencerOutputHandler()
        self.kept.object = made
        return made

    def _rows(self, made: Any, sample: Sample) -> list[dict[str, Any]]:
        """What the class makes of one sample, with the sample's own number."""
        retriever = BaseRetriever(sample, self.prompt, self.abbr)
        own = next(base for base in self.made.__mro__ if "get_data_list" in vars(base))
        real = own.__module__ == REAL_BASE  # which has none, and says so by raising
        rows = data_list(made, retriever) if real else made.get_data_list(retriever)
        _refuse_odd(self.made.__name__, rows)
        limit(sample, self.max_tokens)  # one that is no number is told before anything is asked
        number = int(sample.id) if sample.id.isdigit() else next(self.kept.numbers)
        return [{**row, "index": number} for row in rows]


def _refuse_odd(who: str, rows: Any) -> None:
    if not isinstance(rows, list) or not rows:
        raise SampleError(f"get_data_list of {who} should give a list with rows, not {rows!r}")
    for row in rows:
        lacks = [name for name in KNOWN[:-1] if not isinstance(row, Mapping) or name not in row]
        if lacks:
            raise SampleError(
                f"a row of get_data_list of {who} lacks {', '.join(lacks)}; "
                f"it needs {', '.join(KNOWN[:-1])}, and may have gold"
            )


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


@contextmanager
def _lending(model: LentModel) -> Iterator[None]:
    """An object made within is lent this model, also where AISBench itself would build one."""
    token = LENDING.set(model)
    real: Any = sys.modules.get(REAL_BASE)
    built = getattr(real, "build_model_from_cfg", None)
    if built:
        real.build_model_from_cfg = lambda _: model
    try:
        yield
    finally:
        LENDING.reset(token)
        if built:
            real.build_model_from_cfg = built


async def in_thread(call: Callable[[], Any]) -> None:
    """Run in a thread of its own: those of a window wait for one batch, so no pool would do."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    context = copy_context()

    def tell(error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def work() -> None:
        error: BaseException | None = None
        try:
            context.run(call)
        except BaseException as raised:  # noqa: BLE001 - handed to whoever awaits
            error = raised
        with suppress(RuntimeError):  # the run ended meanwhile
            loop.call_soon_threadsafe(tell, error)

    threading.Thread(target=work, name="auricle-aisbench", daemon=True).start()
    await done


# --- from a class to what a task file names ----------------------------------------------


def ways(cls: type[Any]) -> list[str]:
    """The methods of a class that ask, without those that a base only names."""
    found = [getattr(cls, name, None) for name in WAYS]
    return [
        name
        for name, method in zip(WAYS, found, strict=True)
        if method is not None and not getattr(method, "__isabstractmethod__", False)
    ]


def takes(cls: type[Any]) -> dict[str, inspect.Parameter]:
    """What a class is made with; where it hands on `**kwargs`, what its bases take, too."""
    found: dict[str, inspect.Parameter] = {}
    for base in cls.__mro__[:-1]:
        if "__init__" not in vars(base):
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters
        named = {
            n: p for n, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        }
        found = {**named, **found}
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            break
    found.pop("self", None)
    return found


def maker(name: str, cls: Any) -> Callable[..., Ported]:
    """What makes an inferencer of a class, and says what may be said of it."""
    if not inspect.isclass(cls) or not ways(cls):
        raise SpecError(
            f"{name} is no inferencer of AISBench's: it needs do_request(data, token_bucket, "
            "session) or batch_inference(datum)."
        )
    file, _, attribute = name.rpartition(":")
    called = f"aisbench:{PurePath(file).name}:{attribute}"
    own = [each for each in takes(cls) if each not in GIVEN]

    def make(prompt: Prompt, **given: Any) -> Ported:
        arguments = {each: given.pop(each) for each in own if each in given}
        return Ported(called, Prompt.of(prompt), arguments, made=cls, **given)

    ours = ("prompt", "max_tokens", "temperature", "stop", "abbr")
    kind = inspect.Parameter.KEYWORD_ONLY
    named = [inspect.Parameter(each, kind) for each in dict.fromkeys((*ours, *own))]
    make.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return make
