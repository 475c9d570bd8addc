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

from auricle.core.errors import AuricleError, SampleError, SpecError, describe
from auricle.core.types import Ability, Ask, Output, Sample
from auricle.interop.aisbench.adapters import BaseRetriever, LazySession, ModelAdapter, StatusCounter, TokenBucket
from auricle.interop.aisbench.sample_context import CURRENT_SAMPLE, SampleContext
from auricle.interop.aisbench.stubs import (
    CURRENT_MODEL,
    OPENICL_MODULE,
    ROW_FIELDS,
    BaseInferencerOutputHandler,
    GenInferencerOutputHandler,
    build_data_list,
)
from auricle.interop.user_errors import annotate_errors
from auricle.prompts import Prompt
from auricle.tasks.inferencers.base import resolve_max_tokens

REQUEST_METHODS = ("do_request", "batch_inference")
IMPLICIT_ARGUMENTS = ("model_cfg", "mode", "output_json_filepath")
"""What every such class is made with, and nobody has to say."""
UPSTREAM_BASE_MODULE = f"{OPENICL_MODULE}.icl_inferencer.icl_base_inferencer"


class InferencerState:
    """The one object of a class, made when it is first needed, and what it holds open."""

    def __init__(self) -> None:
        self.instance: Any = None
        self.session = LazySession()
        self.token_bucket = TokenBucket()
        self.sample_numbers = count()


@dataclass(frozen=True)
class AisbenchInferencer:
    """Asks by a class of AISBench's: its `do_request`, or its `batch_inference` in a thread."""

    name: str
    prompt: Prompt
    arguments: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    abbr: str = field(default="", repr=False)
    inferencer_class: type[Any] = field(default=object, repr=False)
    is_local: bool = field(default=False, repr=False)
    state: InferencerState = field(default_factory=InferencerState, repr=False, compare=False)
    needs: ClassVar[Ability] = "generate"

    def adapt_to_batching(self, is_batch_model: bool) -> AisbenchInferencer:
        """The same for a model: a class with both ways is asked in the model's own."""
        return replace(self, is_local=is_batch_model)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        way = self._request_method
        sitting = SampleContext(
            sample,
            ask,
            asyncio.get_running_loop(),
            is_local=way == "batch_inference",
            temperature=self.temperature,
            stop=self.stop,
        )
        token = CURRENT_SAMPLE.set(sitting)
        try:
            made = self.state.instance or self._instantiate()
            with annotate_errors(self.name):
                await self._run_sample(made, sample, sitting)
        except Exception:
            if sitting.fatal_error:  # nobody's failure, whatever the class made of it
                raise sitting.fatal_error from None
            raise
        finally:
            CURRENT_SAMPLE.reset(token)
        return sitting.outputs(self.inferencer_class.__name__)

    async def _run_sample(self, inferencer: Any, sample: Sample, context: SampleContext) -> None:
        rows = self._build_rows(inferencer, sample)
        if context.is_local:
            await run_in_thread(lambda: inferencer.batch_inference(_to_columns(rows)))
        else:
            for row in rows:
                await inferencer.do_request(row, self.state.token_bucket, self.state.session)

    async def close(self) -> None:
        """Close the session, if one was used."""
        await self.state.session.aclose()

    def notes(self) -> list[str]:
        """What the class counted."""
        counter = getattr(self.state.instance, "status_counter", None)
        if not isinstance(counter, StatusCounter) or not counter.post_req:
            return []
        return [f"{self.inferencer_class.__name__} counted {counter}."]

    @property
    def _request_method(self) -> str:
        own = find_request_methods(self.inferencer_class)
        return "batch_inference" if self.is_local and "batch_inference" in own else own[0]

    def _instantiate(self) -> Any:
        """The class's object, with what is lent to it."""
        model = ModelAdapter(self.abbr, self.max_tokens)
        given = {
            "model_cfg": {"type": "auricle", "abbr": self.abbr, "max_out_len": self.max_tokens},
            "mode": "infer",
            "output_json_filepath": "",
        }
        known = collect_parameters(self.inferencer_class)
        arguments = {name: value for name, value in given.items() if name in known}
        try:
            with _provide_model(model):
                made = self.inferencer_class(**arguments, **self.arguments)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            raise SpecError(f"{self.name} cannot be made: {type(error).__name__}: {describe(error)}") from error
        if not hasattr(made, "output_handler"):
            raise SpecError(f"{self.name}: its __init__ should call super().__init__(model_cfg).")
        made.model, made.status_counter = model, StatusCounter()
        if not isinstance(made.output_handler, BaseInferencerOutputHandler):
            made.output_handler = GenInferencerOutputHandler()
        self.state.instance = made
        return made

    def _build_rows(self, inferencer: Any, sample: Sample) -> list[dict[str, Any]]:
        """What the class makes of one sample, with the sample's own number."""
        retriever = BaseRetriever(sample, self.prompt, self.abbr)
        own = next(base for base in self.inferencer_class.__mro__ if "get_data_list" in vars(base))
        real = own.__module__ == UPSTREAM_BASE_MODULE  # which has none, and says so by raising
        rows = build_data_list(inferencer, retriever) if real else inferencer.get_data_list(retriever)
        _validate_rows(self.inferencer_class.__name__, rows)
        resolve_max_tokens(sample, self.max_tokens)  # one that is no number is told before anything is asked
        number = int(sample.id) if sample.id.isdigit() else next(self.state.sample_numbers)
        return [{**row, "index": number} for row in rows]


def _validate_rows(class_name: str, rows: Any) -> None:
    if not isinstance(rows, list) or not rows:
        raise SampleError(f"get_data_list of {class_name} should give a list with rows, not {rows!r}")
    for row in rows:
        lacks = [name for name in ROW_FIELDS[:-1] if not isinstance(row, Mapping) or name not in row]
        if lacks:
            raise SampleError(
                f"a row of get_data_list of {class_name} lacks {', '.join(lacks)}; "
                f"it needs {', '.join(ROW_FIELDS[:-1])}, and may have gold"
            )


def _to_columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


@contextmanager
def _provide_model(model: ModelAdapter) -> Iterator[None]:
    """An object made within is lent this model, also where AISBench itself would build one."""
    token = CURRENT_MODEL.set(model)
    real: Any = sys.modules.get(UPSTREAM_BASE_MODULE)
    built = getattr(real, "build_model_from_cfg", None)
    if built:
        real.build_model_from_cfg = lambda _: model
    try:
        yield
    finally:
        CURRENT_MODEL.reset(token)
        if built:
            real.build_model_from_cfg = built


async def run_in_thread(call: Callable[[], Any]) -> None:
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


def find_request_methods(cls: type[Any]) -> list[str]:
    """The methods of a class that ask, without those that a base only names."""
    found = [getattr(cls, name, None) for name in REQUEST_METHODS]
    return [
        name
        for name, method in zip(REQUEST_METHODS, found, strict=True)
        if method is not None and not getattr(method, "__isabstractmethod__", False)
    ]


def collect_parameters(cls: type[Any]) -> dict[str, inspect.Parameter]:
    """What a class is made with; where it hands on `**kwargs`, what its bases take, too."""
    found: dict[str, inspect.Parameter] = {}
    for base in cls.__mro__[:-1]:
        if "__init__" not in vars(base):
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters
        named = {n: p for n, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        found = {**named, **found}
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            break
    found.pop("self", None)
    return found


def create_inferencer_factory(name: str, cls: Any) -> Callable[..., AisbenchInferencer]:
    """What makes an inferencer of a class, and says what may be said of it."""
    if not inspect.isclass(cls) or not find_request_methods(cls):
        raise SpecError(
            f"{name} is no inferencer of AISBench's: it needs do_request(data, token_bucket, "
            "session) or batch_inference(datum)."
        )
    file, _, attribute = name.rpartition(":")
    called = f"aisbench:{PurePath(file).name}:{attribute}"
    own = [each for each in collect_parameters(cls) if each not in IMPLICIT_ARGUMENTS]

    def make(prompt: Prompt, **given: Any) -> AisbenchInferencer:
        arguments = {each: given.pop(each) for each in own if each in given}
        return AisbenchInferencer(called, Prompt.of(prompt), arguments, inferencer_class=cls, **given)

    ours = ("prompt", "max_tokens", "temperature", "stop", "abbr")
    kind = inspect.Parameter.KEYWORD_ONLY
    named = [inspect.Parameter(each, kind) for each in dict.fromkeys((*ours, *own))]
    make.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return make
