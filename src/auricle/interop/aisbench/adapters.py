"""Replacements of AISBench's objects that inferencer classes use: model, retriever, counters, session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from auricle.core.errors import MissingExtra, SampleError
from auricle.core.types import Generation, Sample, get_max_tokens
from auricle.interop.aisbench.prompts import PromptList, to_aisbench
from auricle.interop.aisbench.sample_context import CURRENT_SAMPLE, SampleContext
from auricle.prompts import Prompt
from auricle.prompts.few_shot import EXAMPLE_IDS_KEY

MODEL_ATTRIBUTES = "generate, parse_template, max_out_len, is_api and abbr"


class ModelAdapter:
    """`self.model`: sends prompts through the engine, which batches, retries and counts."""

    def __init__(self, abbr: str, max_out_len: int) -> None:
        self.abbr, self.max_out_len = abbr, max_out_len

    @property
    def is_api(self) -> bool:
        """Whether prompts are sent one at a time, by `do_request`."""
        return not CURRENT_SAMPLE.get().is_local

    def parse_template(self, prompt: Any, mode: str = "gen") -> Any:
        """Return the prompt unchanged; the model applies its own chat template."""
        if mode != "gen":
            raise SampleError(f"parse_template supports mode='gen' only, not {mode!r}")
        return prompt

    def generate(self, inputs: Any, max_out_len: Any = None, output: Any = None, **generation_kwargs: Any) -> Any:
        """Return a coroutine that fills `output`, or the texts if called from `batch_inference`."""
        context, max_tokens = CURRENT_SAMPLE.get(), max_out_len or self.max_out_len
        if context.is_local:
            return context.generate_blocking(inputs, max_tokens, generation_kwargs)
        return _fill_output(context, inputs, max_tokens, output, generation_kwargs)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the model provided by Auricle has no {name}; it has {MODEL_ATTRIBUTES}")


async def _fill_output(
    context: SampleContext, prompt: Any, max_tokens: Any, output: Any, generation_kwargs: dict[str, Any]
) -> Any:
    """Fill an output as AISBench's models do; failures are recorded in it instead of raised."""
    started = perf_counter()
    try:
        generation = await context.generate(prompt, max_tokens, generation_kwargs)
    except SampleError as error:
        if output is None:
            raise
        output.success, output.error_info = False, str(error)
        return output
    if output is None:
        return generation.text
    _copy_generation(output, generation)
    output.input, output.time_points = prompt, [started, perf_counter()]
    return output


def _copy_generation(output: Any, generation: Generation) -> None:
    output.success, output.error_info = True, ""
    output.content, output.reasoning_content = generation.text, ""
    output.input_tokens, output.output_tokens = generation.input_tokens or 0, generation.tokens or 0


class DatasetReader:
    """`retriever.dataset_reader`: the columns of one sample."""

    output_column = "target"

    def __init__(self, sample: Sample) -> None:
        self.input_columns = list(sample.inputs)
        self._limit = get_max_tokens(sample)

    def get_max_out_len(self) -> list[Any] | None:
        return None if self._limit is None else [self._limit]

    def get_timestamp(self) -> None:
        return None


class BaseRetriever:
    """The prompt, examples and target of one sample, with the interface of AISBench's retrievers."""

    def __init__(self, sample: Sample, prompt: Prompt, abbr: str) -> None:
        self._sample, self._prompt = sample, prompt
        row = {**sample.meta, **sample.inputs}  # only get_gold_ans returns the target
        self.test_ds = [row]
        self.dataset = SimpleNamespace(abbr=abbr, test=self.test_ds)
        self.dataset_reader = DatasetReader(sample)

    def retrieve(self) -> list[list[str]]:
        """Return the ids of the sample's examples."""
        shots = self._prompt.shots
        return [[shot.id for shot in shots.examples_for(self._sample)] if shots else []]

    def generate_ice(self, idx_list: Sequence[Any]) -> Any:
        """Return the text of examples, with their ids, by which the prompt looks them up again."""
        shots = self._prompt.shots
        if not shots or not idx_list:
            return ""
        parts = [
            part
            for example_id in idx_list
            for part in self._prompt.example_parts(shots.pool.get_example(str(example_id)))
        ]
        return ExampleText([str(example_id) for example_id in idx_list], "".join(map(str, parts)))

    def generate_prompt_for_generate_task(
        self, idx: int, ice: Any, gen_field_replace_token: str = ""
    ) -> str | PromptList:
        """Render the prompt of the sample with its examples; the target is not available to it."""
        if idx != 0:
            raise IndexError(f"there is no row {idx}: a retriever contains one sample")
        ids = ice.ids if isinstance(ice, ExampleText) else []
        sample = replace(self._sample, meta={**self._sample.meta, EXAMPLE_IDS_KEY: ids})
        prompt = to_aisbench(self._prompt.render(sample))
        return f"{ice}{prompt}" if type(ice) is str and ice and isinstance(prompt, str) else prompt

    def get_gold_ans(self) -> list[Any] | None:
        return None if self._sample.target is None else [self._sample.target]


class ExampleText(str):
    """Text of examples, with their ids."""

    __slots__ = ("ids",)
    ids: list[str]

    def __new__(cls, ids: list[str], text: str) -> ExampleText:
        example_text = super().__new__(cls, text)
        example_text.ids = ids
        return example_text


class StatusCounter:
    """Counts requests sent, answered, failed and finished, and finished samples."""

    def __init__(self, batch_size: int = 0) -> None:
        self.post_req = self.get_req = self.failed_req = 0
        self.finish_req = self.case_finish_req = 0

    async def post(self) -> None:
        self.post_req += 1

    async def rev(self) -> None:
        self.get_req += 1

    async def failed(self) -> None:
        self.failed_req += 1

    async def finish(self) -> None:
        self.finish_req += 1

    async def case_finish(self) -> None:
        self.case_finish_req += 1

    def __str__(self) -> str:
        return (
            f"{self.post_req:,} requests posted, {self.get_req:,} received, "
            f"{self.failed_req:,} failed, {self.finish_req:,} finished; "
            f"{self.case_finish_req:,} cases finished"
        )


class TokenBucket:
    """`token_bucket`: always has a token, because the engine limits the rate."""

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        return True

    def release(self) -> None: ...

    def __enter__(self) -> bool:
        return True

    def __exit__(self, *_: object) -> None: ...


class LazySession:
    """`session`: an aiohttp session that is created on first use."""

    def __init__(self) -> None:
        self._session: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._session is None:
            try:
                import aiohttp
            except ImportError as error:
                raise MissingExtra("A session", "api") from error
            self._session = aiohttp.ClientSession(trust_env=True)
        return getattr(self._session, name)

    async def aclose(self) -> None:
        """Close the session if it was created."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
