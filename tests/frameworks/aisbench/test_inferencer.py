"""Inferencer classes_module written for AISBench run unchanged."""

import asyncio
import importlib
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from auricle import Generation, Sample, Spec, evaluate
from auricle.core.errors import Rejected, SampleError, SpecError
from auricle.core.types import Generate
from auricle.data.prompts import Prompt
from auricle.engine.batching import RunStopped
from auricle.engine.settings import Settings
from auricle.frameworks.aisbench import resolve_inferencer_factory
from auricle.models.base import BatchModel
from auricle.runs.run_directory import Run
from auricle.testing.fake_server import FakeServer, Script

CLASSES = Path(__file__).parent / "aisbench_classes.py"
ROWS = [
    {"id": "a", "question": "one two", "answer": "one two"},
    {"id": "b", "question": "three", "answer": "3", "max_out_len": 7},
]


class Counting(BatchModel):
    """Repeats the question and the token limit; records the sizes of its batches."""

    batch_size = 8
    batches: ClassVar[list[int]] = []

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        self.batches.append(len(batch))
        return [Generation(text=f"{request.turns[-1].parts[0]} {request.max_tokens}") for request in batch]


Runner = Callable[..., dict[str, Any]]


@pytest.fixture
def run(manifest: Any, tmp_path: Path) -> Runner:
    """Run rows through a class of the file and return the records by id."""

    def evaluate_rows(
        class_name: str, model: str = "fake-api", rows: Any = ROWS, model_args: Any = None, **arguments: Any
    ) -> dict[str, Any]:
        use = {"use": f"aisbench:{CLASSES}:{class_name}", **arguments.pop("inferencer", {})}
        task_args = {"data": str(manifest(rows)), "inferencer": use, **arguments}
        spec = Spec(task="qa", task_args=task_args, model=model, model_args=model_args or {})
        evaluate(spec, tmp_path / "run", settings=Settings(initial_backoff=0.001))
        return {record.sample.id: record for record in Run.load(tmp_path / "run").records()}

    return evaluate_rows


def classes_module() -> Any:
    """Return the module of the classes_module as it was last imported."""
    return sys.modules["auricle_file_aisbench_classes"]


def infer(name: str, sample: Sample, answer: str | BaseException, **arguments: Any) -> list[Generate]:
    """Run a class on a sample with a model that gives this answer or raises it; return the requests."""
    requests: list[Generate] = []

    async def ask(request: Generate) -> Generation:
        requests.append(request)
        if isinstance(answer, BaseException):
            raise answer
        return Generation(text=answer)

    build = resolve_inferencer_factory(f"{CLASSES}:{name}")
    asyncio.run(build(prompt=Prompt.of("{question}"), **arguments)(sample, ask))
    return requests


def build_sample(question: str = "hello", **fields: Any) -> Sample:
    return Sample(id="1", inputs={"question": question}, **fields)


def answer_texts(records: dict[str, Any]) -> dict[str, str]:
    return {name: record.outputs[0].text for name, record in records.items()}


# --- API models ------------------------------------------------------------------------


def test_a_class_with_do_request_calls_a_server(run: Runner) -> None:
    with FakeServer() as server:
        records = run("Api", "openai", model_args={"base_url": server.url, "model": "m"})
        assert server.stats()["requests"] == {"/v1/chat/completions": 2}
    assert answer_texts(records) == {"a": "one two", "b": "three"}
    assert records["a"].outputs[0].input_tokens


def test_a_refused_request_fails_its_sample(run: Runner) -> None:
    with FakeServer(Script(faults={"400": 1.0})) as server:
        records = run("Api", "openai", model_args={"base_url": server.url, "model": "m"})
    assert {record.error.kind for record in records.values()} == {"Rejected"}
    assert "400" in records["a"].error.message


def test_transient_errors_are_retried_by_the_engine(run: Runner) -> None:
    with FakeServer(Script(faults={"500": 1.0}, fault_attempts=2)) as server:
        records = run("Api", "openai", model_args={"base_url": server.url, "model": "m"})
    assert [record.error for record in records.values()] == [None, None]
    assert records["a"].attempts == 3


def test_the_reported_text_is_stored(run: Runner) -> None:
    assert answer_texts(run("Api", inferencer={"suffix": "!"})) == {"a": "one two!", "b": "three!"}


def test_a_class_may_report_several_times(run: Runner) -> None:
    records = run("Vote", rows=ROWS[:1], answers="mean")
    assert [output.text for output in records["a"].outputs] == ["one two"] * 3


def test_repeated_requests_have_their_own_seeds() -> None:
    requests = infer("Vote", build_sample(), "yes", temperature=0.7)
    assert [(request.answer_index, request.seed) for request in requests] == [(0, 0), (1, 1), (2, 2)]


def test_rows_have_the_fields_of_the_guide(run: Runner) -> None:
    run("Api", name="mine")
    row = next(candidate for candidate in classes_module().SEEN if candidate["prompt"] == "three")
    assert set(row) == {"prompt", "data_abbr", "index", "max_out_len", "gold"}
    assert (row["data_abbr"], row["max_out_len"], row["gold"]) == ("mine", 7, "3")


def test_the_index_is_the_number_of_the_sample() -> None:
    infer("Api", Sample(id="41", inputs={"question": "x"}, target="y"), "z")
    assert classes_module().SEEN[-1]["index"] == 41


def test_the_target_is_not_available_to_prompts(run: Runner) -> None:
    run("Api", rows=[{"question": "say {answer}", "answer": "secret"}])
    assert classes_module().SEEN[-1]["prompt"] == "say {answer}"


def test_examples_precede_the_question(run: Runner) -> None:
    records = run("Api", shots={"use": "first", "k": 1})
    prompt = classes_module().SEEN[-1]["prompt"]
    assert [message["role"] for message in prompt] == ["HUMAN", "BOT", "HUMAN"]
    assert not any(record.error for record in records.values())


def test_counters_are_reported_in_a_note(run: Runner, tmp_path: Path) -> None:
    run("Api", "fake-api", model_args={"fail": 1.0})
    (note,) = Run.load(tmp_path / "run").read_progress().notes
    assert "2 requests posted, 0 received, 2 failed, 2 finished; 2 cases finished" in note


def test_a_session_works_and_is_closed_in_the_end(run: Runner) -> None:
    with FakeServer() as server:
        url = server.url.removesuffix("/v1") + "/stats"
        records = run("Itself", rows=[{"id": "a", "question": url, "answer": "200"}])
    assert answer_texts(records) == {"a": "200"}
    assert classes_module().SEEN[-1]._session is None


# --- local models ----------------------------------------------------------------------


def test_a_class_with_batch_inference_sends_batches(run: Runner) -> None:
    Counting.batches.clear()
    rows = [{"id": str(number), "question": f"q{number}", "answer": "a"} for number in range(20)]
    records = run("Local", f"{__name__}:Counting", rows=rows, max_tokens=5)
    assert answer_texts(records)["7"] == "q7 5"
    assert sorted(Counting.batches) == [4, 8, 8]


def test_a_local_class_gets_its_batches_in_the_order_of_the_rows(run: Runner, tmp_path: Path) -> None:
    rows = [{"id": str(number), "question": "q" * (number % 5 + 1), "answer": "a"} for number in range(14)]
    folder = tmp_path / "written" / "here"
    options = {"batch_size": 6, "output_json_filepath": str(folder)}
    records = run("Writing", f"{__name__}:Counting", rows=rows, inferencer=options, max_tokens=5)
    batches = [[*range(6)], [*range(6, 12)], [12, 13]]
    assert (folder / "batches.txt").read_text().splitlines() == [f"6 {batch}" for batch in batches]
    last = {str(number): batch[-1] for batch in batches for number in batch}
    assert answer_texts(records) == {row["id"]: f"{row['question']} 5 of {last[row['id']]}" for row in rows}


def test_rows_with_the_same_index_are_not_confused(run: Runner) -> None:
    rows = [{"id": name, "question": f"q{name}", "answer": "a"} for name in ("0", "a", "b", "1")]  # a and b are 0 and 1
    assert answer_texts(run("Local", f"{__name__}:Counting", rows=rows, max_tokens=5)) == {
        row["id"]: f"{row['question']} 5" for row in rows
    }


def test_a_datum_is_a_dict_of_lists(run: Runner) -> None:
    run("Local", "echo", rows=ROWS[:1], name="mine")
    (datum,) = classes_module().SEEN
    assert datum["prompt"] == ["one two"]
    assert datum["data_abbr"] == ["mine"]
    assert datum["gold"] == ["one two"]


def test_the_limit_of_a_row_applies_to_local_models(run: Runner) -> None:
    records = run("Local", f"{__name__}:Counting", max_tokens=5)
    assert answer_texts(records) == {"a": "one two 5", "b": "three 7"}


def test_a_failure_affects_one_sample(run: Runner) -> None:
    rows = [{"id": str(number), "question": f"q{number}", "answer": "a"} for number in range(40)]
    records = run("Local", "echo", rows=rows, model_args={"fail": 0.2})
    failed = [record for record in records.values() if record.error]
    assert 0 < len(failed) < 20
    assert failed[0].error.message == "the fake model is set to fail on this request"


@pytest.mark.parametrize(("model", "ending"), [("fake-api", "asked"), ("echo", "batched")])
def test_the_kind_of_model_decides_between_both_methods(run: Runner, model: str, ending: str) -> None:
    assert answer_texts(run("Both", model, rows=ROWS[:1])) == {"a": f"one two {ending}"}


def test_batch_inference_also_serves_api_models(run: Runner) -> None:
    assert answer_texts(run("Local", "fake-api")) == {"a": "one two", "b": "three"}


def test_a_class_may_override_parts_of_the_default() -> None:
    requests = infer("Stopping", build_sample(), "yes")
    assert requests[0].stop == ("END",)


def test_stop_strings_of_a_task_are_sent() -> None:
    requests = infer("Api", build_sample(target="x"), "yes", stop=("\n",))
    assert requests[0].stop == ("\n",)


# --- errors ------------------------------------------------------------------------------


def test_an_exception_fails_its_sample_with_its_line(run: Runner) -> None:
    records = run("Broken")
    assert records["a"].error.kind == "KeyError"
    assert "aisbench_classes.py:" in records["a"].error.message


def test_a_preview_lists_the_exception_of_a_class(auricle: Any, manifest: Any) -> None:
    result = auricle("preview", manifest(ROWS), "--as", "qa", "-n", "2", "-T", f"inferencer=aisbench:{CLASSES}:Broken")
    assert result.returncode == 0
    assert "mine.jsonl:1: rejected: KeyError: 'nothing here' (aisbench_classes.py:" in result.stdout
    assert "mine.jsonl:2: rejected: KeyError" in result.stdout


def test_a_missing_report_is_an_error_with_the_method_to_call() -> None:
    with pytest.raises(SampleError, match=r"Silent reported nothing.*report_cache_info"):
        infer("Silent", build_sample(target="x"), "yes")


def test_an_error_that_a_class_catches_is_kept() -> None:
    with pytest.raises(Rejected, match="401"):
        infer("Swallowing", build_sample(target="x"), Rejected("401 no"))


def test_a_stopped_run_stops_even_if_a_class_catches_it() -> None:
    with pytest.raises(RunStopped):
        infer("Swallowing", build_sample(target="x"), RunStopped())


def test_missing_fields_of_rows_are_named() -> None:
    with pytest.raises(SampleError, match="Lacking lacks data_abbr, max_out_len"):
        infer("Lacking", build_sample(), "yes")


def test_missing_attributes_of_the_model_are_named() -> None:
    with pytest.raises(AttributeError, match=r"has no tokenizer; it has generate"):
        infer("Deep", build_sample(target="x"), "yes")


def test_an_exception_in_a_constructor_ends_the_run() -> None:
    with pytest.raises(SpecError, match=r"Refusing raised ParameterValueError: no batch is small enough"):
        infer("Refusing", build_sample(), "yes")


def test_a_class_without_request_methods_is_rejected() -> None:
    with pytest.raises(SpecError, match=r"do_request.*or batch_inference"):
        resolve_inferencer_factory(f"{CLASSES}:Neither")


def test_an_unknown_argument_is_rejected(run: Runner) -> None:
    with pytest.raises(SpecError, match="sufix"):
        run("Api", inferencer={"sufix": "!"})


def test_an_invalid_token_limit_fails_the_sample() -> None:
    with pytest.raises(SampleError, match="max_tokens 'many'"):
        infer("Api", build_sample(target="x", meta={"max_out_len": "many"}), "yes")


# --- stubs ----------------------------------------------------------------------------------


def test_a_class_can_be_loaded_from_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module_classes.py").write_text(CLASSES.read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(str(tmp_path))
    build = resolve_inferencer_factory("module_classes:Api")
    assert "suffix" in inspect.signature(build).parameters


UPSTREAM_MODULE = """
def build_model_from_cfg(cfg):
    raise AssertionError("a model of its own")

class BaseInferencer:
    def get_data_list(self, retriever):
        raise NotImplementedError

class BaseApiInferencer(BaseInferencer):
    def __init__(self, model_cfg, batch_size=1):
        self.model = build_model_from_cfg(model_cfg)
        self.output_handler = object()
        self.limit = self.model.max_out_len
"""
CLASS_WITH_UPSTREAM_BASE = """
from types import SimpleNamespace
from ais_bench.benchmark.openicl.icl_inferencer.icl_base_inferencer import BaseApiInferencer

class Mine(BaseApiInferencer):
    async def do_request(self, data, token_bucket, session):
        output = SimpleNamespace(success=False, error_info="", content="")
        output.get_prediction = lambda: output.content
        await self.model.generate(data["prompt"], self.limit, output, session=session)
        await self.output_handler.report_cache_info(0, data["prompt"], output, "")
"""


def test_an_installed_aisbench_is_used_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "ais_bench" / "benchmark" / "openicl" / "icl_inferencer"
    folder.mkdir(parents=True)
    (folder / "icl_base_inferencer.py").write_text(UPSTREAM_MODULE)
    (tmp_path / "over_real.py").write_text(CLASS_WITH_UPSTREAM_BASE)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()

    async def ask(request: Any) -> Any:
        return Generation(text=f"{request.max_tokens} for {request.turns[0].parts[0]}")

    try:
        build = resolve_inferencer_factory(f"{tmp_path / 'over_real.py'}:Mine")
        inferencer = build(prompt=Prompt.of("{question}"), max_tokens=9)
        (output,) = asyncio.run(inferencer(build_sample(target="x"), ask))
    finally:
        for name in [module for module in sys.modules if module.partition(".")[0] == "ais_bench"]:
            del sys.modules[name]
    assert output.text == "9 for hello"


# --- prompts ----------------------------------------------------------------------------------


def test_a_class_is_used_on_the_command_line(auricle: Any, manifest: Any) -> None:
    result = auricle(
        "run", manifest(ROWS), "--as", "qa", "-m", "fake-api", "--json",
        "-T", f"inferencer=aisbench:{CLASSES}:Api", "-o", "r",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)


@pytest.mark.slow
def test_a_task_file_uses_a_class_in_its_folder(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    manifest(ROWS)
    (tmp_path / "mine.py").write_text(CLASSES.read_text(encoding="utf-8"))
    task = """
        kind: qa
        data: mine.jsonl
        inferencer: {use: "aisbench:mine.py:Api", suffix: "!"}
    """
    (tmp_path / "task.yaml").write_text(textwrap.dedent(task))
    result = auricle("preview", "task.yaml")
    assert "one two" in result.stdout, result.stderr
    assert auricle("run", "task.yaml", "-m", "fake-api", "-o", "r").returncode == 0


def test_a_class_must_call_the_constructor_of_its_base() -> None:
    with pytest.raises(SpecError, match=r"Bare: __init__ should call super\(\)"):
        infer("Bare", build_sample(), "fine")
