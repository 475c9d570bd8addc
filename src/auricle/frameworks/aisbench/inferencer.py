"""Adapter for inferencer classes written for AISBench.

One object of the class serves all samples. The class decides which prompts to send and what to report; the
engine sends, batches, retries and stores.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Ability, Ask, Generate, Generation, Output, Sample
from auricle.core.user_code import AwaitedCall, UserCall, annotate_errors, wrap_errors
from auricle.data.prompts import Prompt
from auricle.engine.inferencers.base import resolve_max_tokens
from auricle.frameworks.aisbench.adapters import (
    CURRENT_SAMPLE,
    BaseRetriever,
    BatchContext,
    ModelAdapter,
    SampleContext,
    StatusCounter,
    TokenBucket,
)
from auricle.frameworks.aisbench.inferencer_stubs import (
    CURRENT_MODEL,
    BaseInferencerOutputHandler,
    GenInferencerOutputHandler,
    build_data_list,
)
from auricle.frameworks.aisbench.prompt_list import is_marker
from auricle.frameworks.aisbench.session import TimedSession
from auricle.frameworks.aisbench.stubs import OPENICL_MODULE
from auricle.frameworks.user_classes import display_name, find_owner
from auricle.models.base import BatchModel

REQUEST_METHODS = ("do_request", "batch_inference")
IMPLICIT_ARGUMENTS = ("model_cfg", "mode")
"""Constructor arguments that Auricle provides."""
PERPLEXITY_METHOD = "get_ppl"
"""Method of the model that classes call which compare perplexities instead of generating text."""
UPSTREAM_BASE_MODULE = f"{OPENICL_MODULE}.icl_inferencer.icl_base_inferencer"


class InferencerState:
    """The object of a class, created on first use, and its open resources."""

    def __init__(self) -> None:
        self.instance: Any = None
        self.session = TimedSession(lambda error: setattr(CURRENT_SAMPLE.get(), "failure", error))
        self.token_bucket = TokenBucket()
        self.sample_numbers = count()
        self.rows: dict[int, tuple[dict[str, Any], SampleContext]] | None = None
        """The rows that wait for `batch_inference`, with their contexts; None if each sample is passed alone."""
        self.row_numbers = count()


@dataclass(frozen=True)
class AisbenchInferencer:
    """Runs a class of AISBench: its `do_request`, or its `batch_inference` in a thread."""

    name: str
    prompt: Prompt | None
    """The prompt of the task; None for conversations."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    templates: Mapping[str, Any] = field(default_factory=dict)
    """Prompt of each label, for classes that compare perplexities."""
    abbr: str = field(default="", repr=False)
    inferencer_class: type[Any] = field(default=object, repr=False)
    is_local: bool = field(default=False, repr=False)
    is_load_test: bool = field(default=False, repr=False)
    state: InferencerState = field(default_factory=InferencerState, repr=False, compare=False)

    def __post_init__(self) -> None:
        prompts = {str(label): Prompt.of(template) for label, template in self.templates.items()}
        object.__setattr__(self, "templates", prompts)

    @property
    def needs(self) -> Ability:
        """What the class needs of a model: text, or the probability of texts."""
        return "loglikelihood" if calls_method(self.inferencer_class, PERPLEXITY_METHOD) else "generate"

    @property
    def prompt_columns(self) -> Prompt | None:
        """The prompts of all labels as one, or the prompt of the task, to know which columns they use."""
        if not self.templates:
            return self.prompt
        return Prompt(tuple(message for prompt in self.templates.values() for message in prompt.turns))

    @property
    def aggregation(self) -> str:
        """How several answers are combined by default: those to a conversation are scored turn by turn."""
        is_conversation = self.prompt is None and self.arguments.get("infer_mode") != "last"
        return "turns" if is_conversation else ""

    def adapt_to_batching(self, is_batch_model: bool) -> AisbenchInferencer:
        """Prefer `batch_inference` for batch models if the class has both methods."""
        return replace(self, is_local=is_batch_model)

    def wrap_model(self, model: BatchModel) -> BatchModel:
        """Let the engine make batches of rows for `batch_inference`, unless other processes have the model."""
        calls_generate = "batch_inference" in find_request_methods(self.inferencer_class) and self.needs == "generate"
        if not calls_generate or model.wants_context or hasattr(model, "workers"):
            return model
        self.state.rows = {}
        return LocalClassModel(self, model)

    def adapt_to_load_test(self) -> AisbenchInferencer:
        """Create the object with `mode="perf"`, so that it measures its requests."""
        return replace(self, is_load_test=True)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        methods = find_request_methods(self.inferencer_class)
        is_local = methods[0] == "batch_inference" or (self.is_local and "batch_inference" in methods)
        context = SampleContext(sample, ask, asyncio.get_running_loop(), is_local, self.temperature, self.stop)
        token = CURRENT_SAMPLE.set(context)
        try:
            inferencer = self.state.instance or self.instantiate()
            with annotate_errors(self.name):
                await self._run_sample(inferencer, sample, context)
        except Exception:
            if context.fatal_error:  # the class must not turn it into the failure of one sample
                raise context.fatal_error from None
            raise
        finally:
            CURRENT_SAMPLE.reset(token)
        return context.outputs(self.inferencer_class.__name__)

    async def _run_sample(self, inferencer: Any, sample: Sample, context: SampleContext) -> None:
        rows = self._build_rows(inferencer, sample)
        if self.state.rows is not None:
            await self._send_rows(rows, context, self.state.rows)
        elif context.is_local:
            columns = {name: [row[name] for row in rows] for name in rows[0]}
            await run_in_thread(lambda: inferencer.batch_inference(columns))
        else:
            step = UserCall(f"do_request of {self.name}", is_announced=False)
            for row in rows:
                await AwaitedCall(step, inferencer.do_request, row, self.state.token_bucket, self.state.session)

    async def _send_rows(self, rows: Sequence[dict[str, Any]], context: SampleContext, waiting: dict[int, Any]) -> None:
        """Send each row through the engine, which batches those of many samples."""
        for row in rows:
            number = next(self.state.row_numbers)
            row_context = replace(context, generations=[], reports=[])
            waiting[number] = row, row_context
            request = context.build_request(row["prompt"], row["max_out_len"], {})
            try:
                await context.ask(replace(request, context={"row": number}))
            finally:
                del waiting[number]
            context.generations += row_context.generations
            context.reports += row_context.reports

    async def close(self) -> None:
        """Close the session, if one was used."""
        await self.state.session.aclose()

    def notes(self) -> list[str]:
        """Return the counts of the class's status counter."""
        counter = getattr(self.state.instance, "status_counter", None)
        if not isinstance(counter, StatusCounter) or not counter.post_req:
            return []
        return [f"{self.inferencer_class.__name__} counted {counter}."]

    def instantiate(self) -> Any:
        """Create the object with Auricle's model and counter."""
        model = ModelAdapter(self.abbr, self.max_tokens)
        implicit_arguments = {
            "model_cfg": {"type": "auricle", "abbr": self.abbr, "max_out_len": self.max_tokens},
            "mode": "perf" if self.is_load_test else "infer",
            "output_json_filepath": "",
        }
        parameters = collect_parameters(self.inferencer_class)
        provided = {name: value for name, value in implicit_arguments.items() if name in parameters}
        arguments = {**provided, **self.arguments}
        if folder := arguments.get("output_json_filepath"):
            Path(folder).mkdir(parents=True, exist_ok=True)  # as AISBench does before it calls the class
        with wrap_errors(self.name), _provide_model(model):
            inferencer = self.inferencer_class(**arguments)
        if not hasattr(inferencer, "output_handler"):
            raise SpecError(f"{self.name}: __init__ should call super().__init__(model_cfg).")
        inferencer.model, inferencer.status_counter = model, StatusCounter()
        inferencer.perf_mode = self.is_load_test
        if not isinstance(inferencer.output_handler, BaseInferencerOutputHandler):
            inferencer.output_handler = GenInferencerOutputHandler()
        self.state.instance = inferencer
        return inferencer

    def _build_rows(self, inferencer: Any, sample: Sample) -> list[dict[str, Any]]:
        """Return the rows that the class builds for one sample, with the sample's number as index."""
        retriever = BaseRetriever(sample, self.prompt, self.abbr, self.templates)
        owner = find_owner(self.inferencer_class, "get_data_list")
        is_abstract = owner is not None and owner.__module__ == UPSTREAM_BASE_MODULE  # AISBench's own one raises
        rows = build_data_list(inferencer, retriever) if is_abstract else inferencer.get_data_list(retriever)
        _validate_rows(self.inferencer_class.__name__, rows)
        if self.arguments.get("infer_mode") == "every_with_gt":
            for row in rows:
                answers = [message for message in row["prompt"] if not is_marker(message) and message["role"] == "BOT"]
                if not all(answer["prompt"] for answer in answers[:-1]):
                    raise SampleError(
                        "infer_mode=every_with_gt needs the reference answers: set mode to gold (-T mode=gold)"
                    )
        resolve_max_tokens(sample, self.max_tokens)  # reject an invalid value before sending anything
        number = int(sample.id) if sample.id.isdigit() else next(self.state.sample_numbers)
        return [{**row, "index": number} for row in rows]


class LocalClassModel(BatchModel):
    """What gets the batches of a run with `batch_inference`: the class, which calls the model itself."""

    keeps_order = True  # as AISBench's loader does

    def __init__(self, inferencer: AisbenchInferencer, model: BatchModel) -> None:
        self._inferencer, self._model = inferencer, model
        self.batch_size = int(inferencer.arguments.get("batch_size") or model.batch_size)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        waiting = self._inferencer.state.rows or {}
        rows, contexts = zip(*(waiting[int(str(request.context["row"]))] for request in batch), strict=True)
        samples = {row["index"]: context for row, context in zip(rows, contexts, strict=True)}
        if len(samples) < len(batch):  # ids that are numbers beside others; the engine sends them again one by one
            raise SampleError("two rows of the batch have the same index")
        for context in contexts:  # the halves of a batch that failed are called again
            context.reports.clear()
            context.generations.clear()
        first = contexts[0]
        shared = BatchContext(first.sample, first.ask, first.loop, True, first.temperature, first.stop)
        token = CURRENT_SAMPLE.set(replace(shared, model=self._model, requests=batch, samples=samples))
        try:
            with annotate_errors(self._inferencer.name):
                columns = {name: [row.get(name) for row in rows] for name in rows[0]}
                self._inferencer.state.instance.batch_inference(columns)
        finally:
            CURRENT_SAMPLE.reset(token)
        return [context.generations[0] if context.generations else Generation(text="") for context in contexts]


def _validate_rows(class_name: str, rows: Any) -> None:
    if not isinstance(rows, list) or not rows:
        raise SampleError(f"get_data_list of {class_name} should return a non-empty list, not {rows!r}")
    for row in rows:
        content = "qa" if isinstance(row, Mapping) and "qa" in row else "prompt"  # `qa`: a prompt per label
        required = (content, "index", "data_abbr", "max_out_len")
        missing = [name for name in required if not isinstance(row, Mapping) or name not in row]
        if missing:
            raise SampleError(
                f"a row of get_data_list of {class_name} lacks {', '.join(missing)}; "
                f"required: {', '.join(required)}; optional: gold"
            )


@contextmanager
def _provide_model(model: ModelAdapter) -> Iterator[None]:
    """Give this model to objects created within the block, also where AISBench would build its own."""
    token = CURRENT_MODEL.set(model)
    upstream: Any = sys.modules.get(UPSTREAM_BASE_MODULE)
    upstream_builder = getattr(upstream, "build_model_from_cfg", None)
    if upstream_builder:
        upstream.build_model_from_cfg = lambda _: model
    try:
        yield
    finally:
        CURRENT_MODEL.reset(token)
        if upstream_builder:
            upstream.build_model_from_cfg = upstream_builder


async def run_in_thread(call: Callable[[], Any]) -> None:
    """Run in a new thread: many samples wait for the same batch, so a thread pool could deadlock."""
    future: Future[None] = Future()
    context = copy_context()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(context.run(call))
        except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
            future.set_exception(error)

    threading.Thread(target=run, name="auricle-aisbench", daemon=True).start()
    await asyncio.wrap_future(future)


def find_request_methods(cls: type[Any]) -> list[str]:
    """Return the request methods that a class implements, without abstract ones."""
    methods = {name: getattr(cls, name, None) for name in REQUEST_METHODS}
    return [name for name, method in methods.items() if method and not getattr(method, "__isabstractmethod__", False)]


def calls_method(cls: type[Any], name: str) -> bool:
    """Return whether a method of a class refers to an attribute of this name."""
    functions = [value for base in cls.__mro__ for value in vars(base).values() if inspect.isfunction(value)]
    return any(name in function.__code__.co_names for function in functions)


def collect_parameters(cls: type[Any]) -> dict[str, inspect.Parameter]:
    """Return the constructor parameters of a class, and those of its bases if it passes on `**kwargs`."""
    collected: dict[str, inspect.Parameter] = {}
    for base in cls.__mro__[:-1]:
        if "__init__" not in vars(base):
            continue
        parameters = inspect.signature(vars(base)["__init__"]).parameters
        keyword_parameters = {
            name: parameter
            for name, parameter in parameters.items()
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        }
        collected = {**keyword_parameters, **collected}
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            break
    collected.pop("self", None)
    return collected


def create_inferencer_factory(name: str, cls: Any) -> Callable[..., AisbenchInferencer]:
    """Return a factory whose signature lists the options of a task file for this class."""
    if not inspect.isclass(cls) or not find_request_methods(cls):
        raise SpecError(
            f"{name} is not an AISBench inferencer. Expected a class with do_request(data, token_bucket, session) "
            "or batch_inference(datum)."
        )
    shown_name = display_name("aisbench", name)
    class_options = [option for option in collect_parameters(cls) if option not in IMPLICIT_ARGUMENTS]

    def build(prompt: Any = None, **options: Any) -> AisbenchInferencer:
        arguments = {option: options.pop(option) for option in class_options if option in options}
        parsed_prompt = Prompt.of(prompt) if prompt else None
        return AisbenchInferencer(shown_name, parsed_prompt, arguments, inferencer_class=cls, **options)

    adapter_options = ("prompt", "templates", "max_tokens", "temperature", "stop", "abbr")
    parameters = [
        inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY)
        for option in dict.fromkeys((*adapter_options, *class_options))
    ]
    build.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return build
