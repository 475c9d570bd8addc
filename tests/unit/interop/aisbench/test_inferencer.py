"""Inferencer classes written for AISBench, run as they are."""

import asyncio
import importlib
import json
import sys
import textwrap
from pathlib import Path
from typing import Any, ClassVar

import pytest

from auricle import Generation, Sample, Spec, evaluate
from auricle.core.errors import Refused, SampleError, SpecError
from auricle.core.types import Turn
from auricle.engine.batching import RunStopped
from auricle.engine.settings import Settings
from auricle.interop.aisbench import resolve_inferencer_factory
from auricle.interop.aisbench.prompts import from_aisbench, to_aisbench
from auricle.models.base import BatchModel
from auricle.prompts import Prompt
from auricle.runs.run_directory import Run
from auricle.testing.fake_server import FakeServer, Script

CLASSES = Path(__file__).parent / "aisbench_classes.py"
ROWS = [
    {"id": "a", "question": "one two", "answer": "one two"},
    {"id": "b", "question": "three", "answer": "3", "max_out_len": 7},
]


class Counting(BatchModel):
    """Repeats the question, with the room for its answer; remembers how many came at once."""

    batch_size = 8
    batches: ClassVar[list[int]] = []

    def generate(self, batch: Any) -> Any:
        self.batches.append(len(batch))
        return [Generation(text=f"{r.turns[-1].parts[0]} {r.max_tokens}") for r in batch]


@pytest.fixture
def run(manifest: Any, tmp_path: Path) -> Any:
    """Run rows through a class of the file; the records by id."""

    def call(cls: Any, model: str = "fake-api", rows: Any = ROWS, model_args: Any = None, **arguments: Any) -> Any:
        use = {"use": f"aisbench:{CLASSES}:{cls}", **arguments.pop("inferencer", {})}
        task_args = {"data": str(manifest(rows)), "inferencer": use, **arguments}
        spec = Spec(task="qa", task_args=task_args, model=model, model_args=model_args or {})
        evaluate(spec, tmp_path / "run", settings=Settings(initial_backoff=0.001))
        return {each.sample.id: each for each in Run.load(tmp_path / "run").records()}

    return call


def classes() -> Any:
    """The file as it was last imported."""
    return sys.modules["auricle_file_aisbench_classes"]


def asked(name: Any, sample: Any, answer: Any, **arguments: Any) -> Any:
    """What a class makes of a sample when the model gives these answers, or raises them."""
    requests = []

    async def ask(request: Any) -> Any:
        requests.append(request)
        if isinstance(answer, BaseException):
            raise answer
        return Generation(text=answer)

    make = resolve_inferencer_factory(f"{CLASSES}:{name}")
    outputs = asyncio.run(make(prompt=Prompt.of("{question}"), **arguments)(sample, ask))
    return requests, [each.text for each in outputs]


def one(question: str = "hello", **more: Any) -> Any:
    return Sample(id="1", inputs={"question": question}, **more)


def texts(records: Any) -> Any:
    return {name: record.outputs[0].text for name, record in records.items()}


# --- an API -----------------------------------------------------------------------------


def test_a_class_with_do_request_asks_a_server(run: Any) -> None:
    with FakeServer() as server:
        found = run("Api", "openai", model_args={"base_url": server.url, "model": "m"})
        assert server.stats()["requests"] == {"/v1/chat/completions": 2}
    assert texts(found) == {"a": "one two", "b": "three"}
    assert found["a"].outputs[0].input_tokens


def test_what_a_server_refuses_is_the_sample_s_failure_in_its_own_words(run: Any) -> None:
    with FakeServer(Script(faults={"400": 1.0})) as server:
        found = run("Api", "openai", model_args={"base_url": server.url, "model": "m"})
    assert {each.error.kind for each in found.values()} == {"Refused"}
    assert "400" in found["a"].error.message


def test_what_may_pass_is_tried_again_by_the_engine(run: Any) -> None:
    with FakeServer(Script(faults={"500": 1.0}, fault_attempts=2)) as server:
        found = run("Api", "openai", model_args={"base_url": server.url, "model": "m"})
    assert [each.error for each in found.values()] == [None, None]
    assert found["a"].attempts == 3


def test_the_record_holds_what_the_class_reports(run: Any) -> None:
    assert texts(run("Api", inferencer={"suffix": "!"})) == {"a": "one two!", "b": "three!"}


def test_a_class_may_report_several_times(run: Any) -> None:
    found = run("Vote", rows=ROWS[:1], answers="mean")
    assert [each.text for each in found["a"].outputs] == ["one two"] * 3


def test_several_answers_to_the_same_have_seeds_of_their_own() -> None:
    requests, _ = asked("Vote", one(), "yes", temperature=0.7)
    assert [each.nth for each in requests] == [0, 1, 2]


def test_rows_have_the_fields_that_the_guide_lists(run: Any) -> None:
    run("Api", name="mine")
    row = next(each for each in classes().SEEN if each["prompt"] == "three")
    assert set(row) == {"prompt", "data_abbr", "index", "max_out_len", "gold"}
    assert (row["data_abbr"], row["max_out_len"], row["gold"]) == ("mine", 7, "3")


def test_an_index_is_the_sample_s_own_number() -> None:
    asked("Api", Sample(id="41", inputs={"question": "x"}, target="y"), "z")
    assert classes().SEEN[-1]["index"] == 41


def test_the_target_is_in_no_prompt(run: Any) -> None:
    run("Api", rows=[{"question": "say {answer}", "answer": "secret"}])
    assert classes().SEEN[-1]["prompt"] == "say {answer}"


def test_examples_stand_before_the_question(run: Any) -> None:
    found = run("Api", shots={"use": "first", "k": 1})
    prompt = classes().SEEN[-1]["prompt"]
    assert [each["role"] for each in prompt] == ["HUMAN", "BOT", "HUMAN"]
    assert not any(each.error for each in found.values())


def test_counters_are_told_at_the_end(run: Any, tmp_path: Path) -> None:
    run("Api", "fake-api", model_args={"fail": 1.0})
    (note,) = Run.load(tmp_path / "run").read_progress()["notes"]
    assert "2 requests posted, 0 received, 2 failed, 2 finished; 2 cases finished" in note


def test_a_session_is_a_real_one_and_closed_in_the_end(run: Any) -> None:
    with FakeServer() as server:
        url = server.url.removesuffix("/v1") + "/stats"
        found = run("Itself", rows=[{"id": "a", "question": url, "answer": "200"}])
    assert texts(found) == {"a": "200"}
    assert classes().SEEN[-1]._session is None


# --- weights here ----------------------------------------------------------------------


def test_a_class_with_batch_inference_asks_in_batches(run: Any) -> None:
    Counting.batches.clear()
    rows = [{"id": str(n), "question": f"q{n}", "answer": "a"} for n in range(20)]
    found = run("Local", f"{__name__}:Counting", rows=rows, max_tokens=5)
    assert texts(found)["7"] == "q7 5"
    assert sorted(Counting.batches) == [4, 8, 8]


def test_a_datum_is_a_dict_of_lists(run: Any) -> None:
    run("Local", "echo", rows=ROWS[:1], name="mine")
    (datum,) = classes().SEEN
    assert datum["prompt"] == ["one two"]
    assert datum["data_abbr"] == ["mine"]
    assert datum["gold"] == ["one two"]


def test_a_row_s_own_limit_has_the_last_word_for_weights_here_too(run: Any) -> None:
    found = run("Local", f"{__name__}:Counting", max_tokens=5)
    assert texts(found) == {"a": "one two 5", "b": "three 7"}


def test_a_sample_that_fails_fails_alone(run: Any) -> None:
    rows = [{"id": str(n), "question": f"q{n}", "answer": "a"} for n in range(40)]
    found = run("Local", "echo", rows=rows, model_args={"fail": 0.2})
    failed = [each for each in found.values() if each.error]
    assert 0 < len(failed) < 20
    assert failed[0].error.message == "the fake was told to fail on this one"


@pytest.mark.parametrize(("model", "ending"), [("fake-api", "asked"), ("echo", "batched")])
def test_of_both_ways_the_model_s_own_is_taken(run: Any, model: str, ending: str) -> None:
    assert texts(run("Both", model, rows=ROWS[:1])) == {"a": f"one two {ending}"}


def test_one_way_serves_both_kinds_of_model(run: Any) -> None:
    assert texts(run("Local", "fake-api")) == {"a": "one two", "b": "three"}


def test_either_kind_may_change_a_part_of_the_usual_one() -> None:
    requests, _ = asked("Stopping", one(), "yes")
    assert requests[0].stop == ("END",)


def test_a_task_s_stop_strings_are_sent() -> None:
    requests, _ = asked("Api", one(target="x"), "yes", stop=("\n",))
    assert requests[0].stop == ("\n",)


# --- what goes wrong ---------------------------------------------------------------------


def test_an_exception_is_the_sample_s_failure_with_its_line(run: Any) -> None:
    found = run("Broken")
    assert found["a"].error.kind == "KeyError"
    assert "aisbench_classes.py:" in found["a"].error.message


def test_a_class_that_reports_nothing_is_told_what_to_call() -> None:
    with pytest.raises(SampleError, match=r"Silent reported nothing.*report_cache_info"):
        asked("Silent", one(target="x"), "yes")


def test_a_failure_that_a_class_catches_stays_what_it_was() -> None:
    with pytest.raises(Refused, match="401"):
        asked("Swallowing", one(target="x"), Refused("401 no"))


def test_a_run_that_is_stopped_is_stopped_whatever_a_class_catches() -> None:
    with pytest.raises(RunStopped):
        asked("Swallowing", one(target="x"), RunStopped())


def test_rows_that_lack_a_field_are_told_by_its_name() -> None:
    with pytest.raises(SampleError, match="Lacking lacks data_abbr, max_out_len"):
        asked("Lacking", one(), "yes")


def test_what_only_aisbench_s_models_have_is_told() -> None:
    with pytest.raises(AttributeError, match=r"lends has generate.*no tokenizer"):
        asked("Deep", one(target="x"), "yes")


def test_a_class_that_cannot_be_made_stops_the_run() -> None:
    with pytest.raises(SpecError, match=r"Refusing cannot be made.*no batch is small enough"):
        asked("Refusing", one(), "yes")


def test_a_class_without_a_way_to_ask_is_refused() -> None:
    with pytest.raises(SpecError, match=r"do_request.*or batch_inference"):
        resolve_inferencer_factory(f"{CLASSES}:Neither")


def test_an_argument_that_no_class_takes_is_refused(run: Any) -> None:
    with pytest.raises(SpecError, match="takes no sufix"):
        run("Api", inferencer={"sufix": "!"})


def test_an_odd_limit_is_told() -> None:
    with pytest.raises(SampleError, match="max_tokens should be a whole number"):
        asked("Api", one(target="x", meta={"max_out_len": "many"}), "yes")


# --- stand-ins ------------------------------------------------------------------------------


def test_stand_ins_are_there_only_while_a_class_is_imported() -> None:
    resolve_inferencer_factory(f"{CLASSES}:Api")
    assert not [name for name in sys.modules if name.partition(".")[0] == "ais_bench"]


def test_a_stand_in_class_is_the_same_for_all_who_import_it() -> None:
    bases = []
    for _ in range(2):
        resolve_inferencer_factory(f"{CLASSES}:Api")
        bases.append(classes().BaseApiInferencer)
    assert bases[0] is bases[1]


def test_a_module_can_be_named_as_well_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ported_classes.py").write_text(CLASSES.read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(str(tmp_path))
    make = resolve_inferencer_factory("ported_classes:Api")
    assert "suffix" in make.__signature__.parameters


REAL = """
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
OVER_REAL = """
from types import SimpleNamespace
from ais_bench.benchmark.openicl.icl_inferencer.icl_base_inferencer import BaseApiInferencer

class Mine(BaseApiInferencer):
    async def do_request(self, data, token_bucket, session):
        output = SimpleNamespace(success=False, error_info="", content="")
        output.get_prediction = lambda: output.content
        await self.model.generate(data["prompt"], self.limit, output, session=session)
        await self.output_handler.report_cache_info(0, data["prompt"], output, "")
"""


def test_where_aisbench_is_installed_its_own_classes_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "ais_bench" / "benchmark" / "openicl" / "icl_inferencer"
    folder.mkdir(parents=True)
    (folder / "icl_base_inferencer.py").write_text(REAL)
    (tmp_path / "over_real.py").write_text(OVER_REAL)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()

    async def ask(request: Any) -> Any:
        return Generation(text=f"{request.max_tokens} for {request.turns[0].parts[0]}")

    try:
        make = resolve_inferencer_factory(f"{tmp_path / 'over_real.py'}:Mine")
        made = make(prompt=Prompt.of("{question}"), max_tokens=9)
        (found,) = asyncio.run(made(one(target="x"), ask))
    finally:
        for name in [each for each in sys.modules if each.partition(".")[0] == "ais_bench"]:
            del sys.modules[name]
    assert found.text == "9 for hello"


# --- prompts in both forms --------------------------------------------------------------------


def test_a_conversation_with_sounds_survives_their_form_and_back(tone: Any) -> None:
    from auricle import Audio

    sound = Audio.of(tone("a.wav"))
    turns = (
        Turn("system", ("be brief",)),
        Turn("user", (sound, "what?")),
        Turn("assistant", ("a tone",)),
        Turn("user", ("sure?",)),
    )
    assert from_aisbench(to_aisbench(turns)) == turns
    assert from_aisbench(to_aisbench(turns[3:])) == turns[3:]


def test_messages_in_openai_s_form_are_taken_and_odd_ones_refused() -> None:
    assert from_aisbench([{"role": "user", "content": "hi"}]) == (Turn("user", ("hi",)),)
    with pytest.raises(SampleError, match="role"):
        from_aisbench([{"role": "nobody", "prompt": "hi"}])


def test_a_class_is_named_on_the_command_line(auricle: Any, manifest: Any) -> None:
    done = auricle(
        "run", manifest(ROWS), "--as", "qa", "-m", "fake-api", "--json",
        "-T", f"inferencer=aisbench:{CLASSES}:Api", "-o", "r",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_a_task_file_names_a_class_beside_it(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    manifest(ROWS)
    (tmp_path / "mine.py").write_text(CLASSES.read_text(encoding="utf-8"))
    task = """
        kind: qa
        data: mine.jsonl
        inferencer: {use: "aisbench:mine.py:Api", suffix: "!"}
    """
    (tmp_path / "task.yaml").write_text(textwrap.dedent(task))
    done = auricle("preview", "task.yaml")
    assert "one two" in done.stdout, done.stderr
    assert auricle("run", "task.yaml", "-m", "fake-api", "-o", "r").returncode == 0


def test_a_class_that_calls_no_constructor_of_its_bases_is_told_to() -> None:
    with pytest.raises(SpecError, match=r"Bare: its __init__ should call super\(\)"):
        asked("Bare", one(), "fine")
