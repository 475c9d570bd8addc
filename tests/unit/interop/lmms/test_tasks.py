"""Task YAMLs of lmms-eval, run as they are: what is asked, what is scored, what is refused."""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.audio import Audio, Image
from auricle.core.errors import SampleError, SpecError, UnknownName
from auricle.core.types import Generation, RejectedRow
from auricle.engine.spec import resolve_task
from auricle.interop.lmms.data import render_template
from auricle.runs.run_directory import Run
from auricle.tasks.catalogue import TASKS
from auricle.tasks.inferencers.base import preview_requests

UTILS = """
import random
import urllib.request
from collections import defaultdict

from loguru import logger as eval_logger
from lmms_eval.llm_judge import ServerConfig, get_server
from lmms_eval.tasks._task_utils.file_utils import generate_submission_file


def doc_to_audio(doc):
    return [doc["audio"]]


def doc_to_text(doc, lmms_eval_specific_kwargs):
    print("a line that nobody reads")
    pre, post = (lmms_eval_specific_kwargs[f"{each}_prompt"] for each in ("pre", "post"))
    return f"{pre}{doc['question']}{post}"


def doc_to_messages(doc, lmms_eval_specific_kwargs=None):
    content = [{"type": "text", "text": "First:"}, {"type": "audio", "url": doc["audio"]}]
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}]


def process_results(doc, result):
    doc["seen"] = True
    said = result[0] or random.choice(["yes", "no"])
    right = float(said == doc["answer"])
    found = {"accuracy": {"overall": right, "task": doc["task"]}, "plain": right, "all": {**doc}}
    return found if doc["task"] == "music" else {**found, "sometimes": right}


def aggregate(results, args):
    groups = defaultdict(list)
    for each in results:
        groups[each["task"]].append(each["overall"])
    return round(100 * sum(sum(held) / len(held) for held in groups.values()) / len(groups), 5)


def submit(results, args):
    with open(generate_submission_file("all.json", args), "w") as file:
        file.write(str(results))


def judged(doc, result):
    return {"plain": ask_judge(result[0])}


def ask_judge(text):
    return urllib.request.urlopen("http://judge", data=text).read()


def judged_within(doc, result):
    from openai import OpenAI

    return {"plain": OpenAI().rate(result[0])}


server = get_server(server_name="openai", config=ServerConfig(model_name="judge"))


class Judge:
    def rate(self, text):
        return server.evaluate(text)


def judged_by_class(doc, result):
    return {"plain": Judge().rate(result[0])}


def count_rounds(doc, results):
    return {"rounds": len(results[0]) if results[0][0] == "a " else 0}


def broken(doc, *_):
    return doc["nothing"]


def dataset_map(dataset):
    return dataset.filter(lambda doc: doc["task"] == "music")


def rounds(
    doc,
    lmms_eval_specific_kwargs=None,
    round_idx=None,
    previous_output=None,
    previous_round_info=None,
):
    if round_idx is None:
        return "Start."
    if round_idx == 3:
        return None, None, True, previous_output, previous_round_info
    text = f"You said {previous_output[-1]}; {doc['audio']['sampling_rate']}"
    return [doc["audio"]], text, False, previous_output, {"at": round_idx}
"""

BASE = """
dataset_path: json
dataset_kwargs:
  data_files: {test: rows.jsonl, dev: other.jsonl}
doc_to_visual: !function utils.doc_to_audio
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 16
  temperature: 0
  top_p: 1.0
lmms_eval_specific_kwargs:
  default: {pre_prompt: "", post_prompt: " Say it."}
  qwen: {pre_prompt: "<q>", post_prompt: ""}
process_results: !function utils.process_results
metric_list:
  - metric: accuracy
    aggregation: !function utils.aggregate
    higher_is_better: true
  - metric: plain
    aggregation: mean
    higher_is_better: true
"""
TASK = "include: _base\ntask: mine\ntest_split: test\n"


@pytest.fixture
def folder(tmp_path: Path, tone: Any, manifest: Any) -> Any:
    """A task's folder: YAML, functions, rows, sounds."""
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "_base").write_text(BASE)
    (tmp_path / "task.yaml").write_text(TASK)
    rows = [
        {
            "audio": {"bytes": None, "path": tone(f"{n}.wav", seconds=0.05 + n / 100).name},
            "question": f"Q{n}?",
            "answer": "yes" if n % 2 else "no",
            "task": "music" if n < 2 else "sound",
        }
        for n in range(4)
    ]
    manifest(rows, "rows.jsonl")
    return tmp_path


@pytest.fixture(autouse=True)
def no_leftovers() -> Iterator[Any]:
    yield
    assert not [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]


def made(folder: Any, more: str = "", options: Any = None, base: Any = None) -> Any:
    """The task of a YAML file with a few lines more."""
    if base is not None:
        (folder / "task.yaml").write_text(base)
    if more:
        with (folder / "task.yaml").open("a") as file:
            file.write(more)
    return TASKS.get(f"lmms:{folder / 'task.yaml'}")(**(options or {}))


def asked(task: Any, at: int = 0) -> Any:
    sample = list(task.samples)[at]
    assert not isinstance(sample, RejectedRow), sample
    return asyncio.run(preview_requests(task.inferencer, sample))


def run(folder: Any, model: Any, out: str = "run", **options: Any) -> Any:
    (folder / "model.py").write_text(f"def said(text, audio) -> str:\n    return {model}\n")
    spec = Spec(task=f"lmms:{folder / 'task.yaml'}", task_args=options, model=f"{folder}/model.py:said")
    evaluate(spec, out=folder / out)
    return json.loads((folder / out / "metrics.json").read_text())


def values(document: Any) -> Any:
    return {each["metric"]: each["value"] for each in document["numbers"] if each["group"] == "all"}


# --- what is asked -------------------------------------------------------------------------


def test_functions_say_what_is_asked_and_fields_how(folder: Any) -> None:
    (request,) = asked(made(folder))
    (turn,) = request.turns
    assert isinstance(turn.parts[0], Audio)
    assert turn.parts[1] == "Q0? Say it."
    assert (request.max_tokens, request.temperature) == (16, 0.0)
    assert request.stop == ("\n\n",)


def test_words_for_one_model_are_asked_for_by_its_name(folder: Any) -> None:
    assert asked(made(folder, options={"specific": "qwen"}))[0].turns[0].parts[1] == "<q>Q0?"
    with pytest.raises(SpecError, match="nothing is said of 'gpt'; there are default, qwen"):
        made(folder, options={"specific": "gpt"})


def test_messages_keep_their_order_and_roles(folder: Any) -> None:
    task = made(folder, "doc_to_messages: !function utils.doc_to_messages\n")
    system, user = asked(task)[0].turns
    assert (system.role, system.parts) == ("system", ("Be brief.",))
    assert user.parts[0] == "First:"
    assert isinstance(user.parts[1], Audio)


def test_columns_and_templates_need_no_function(folder: Any) -> None:
    base = """
dataset_path: json
dataset_kwargs: {data_files: rows.jsonl}
test_split: test
doc_to_visual: audio
doc_to_text: "Listen. {{question}}"
doc_to_target: "{{answer}}!"
description: "About {{ task }}. "
generation_kwargs: {until: [".", "?"]}
metric_list: [{metric: exact_match, aggregation: mean, ignore_case: true, ignore_punctuation: true}]
"""
    task = made(folder, base=base)
    (request,) = asked(task)
    assert request.turns[0].parts[1] == "About music. Listen. Q0?"
    assert request.stop == (".", "?")
    sample = next(iter(task.samples))
    assert sample.target == "no!"
    (metric,) = task.metrics
    assert metric.signature == "exact_match:1.lmms.ignore_case.ignore_punctuation"
    assert metric.score(sample, Generation(text=" NO ")) == 1.0
    assert metric.score(sample, Generation(text="not")) == 0.0


def test_a_template_may_be_jinja() -> None:
    assert render_template("{% if a > 1 %}{{ a }}{% else %}few{% endif %}", {"a": 2}) == "2"
    with pytest.raises(SampleError, match="'b' is undefined"):
        render_template("{{ b|upper }}", {"a": 2})
    with pytest.raises(SampleError, match="the columns are a"):
        render_template("{{ b }}", {"a": 2})


def test_a_setting_of_ours_has_the_last_word(folder: Any) -> None:
    options = {"max_tokens": 5, "temperature": 0.5, "stop": "", "name": "ours", "rows": "[1:2]"}
    task = made(folder, options=options)
    (request,) = asked(task)
    assert (request.max_tokens, request.temperature, request.stop) == (5, 0.5, ())
    assert (task.name, len(list(task.samples))) == ("ours", 1)


def test_what_only_a_model_can_follow_is_noted(folder: Any) -> None:
    task = made(folder, "generation_kwargs: {num_beams: 4, top_p: 1.0, do_sample: false}\n")
    (note,) = task.notes("m", {})
    assert note.startswith("num_beams=4 of its generation_kwargs")


def test_docs_keep_their_numbers_and_all_that_is_scored_by(folder: Any) -> None:
    samples = list(made(folder).samples)
    assert [each.id for each in samples] == ["0", "1", "2", "3"]
    assert samples[2].meta == {"question": "Q2?", "answer": "no", "task": "sound"}


def test_a_doc_that_a_function_fails_on_is_rejected_with_the_function_s_name(folder: Any) -> None:
    (first, *_) = made(folder, "doc_to_target: !function utils.broken\n").samples
    assert "utils.broken raised KeyError: 'nothing' (utils.py:" in first.reason


ODD = """
def nothing(doc, *_):
    return None


def leaving(doc, *_):
    raise SystemExit(1)


def clearing(doc, *_):
    doc.clear()
    return "What?"


def lone(doc):
    return doc["audio"]
"""


@pytest.mark.parametrize(
    ("field", "function", "words"),
    [
        ("doc_to_text", "leaving", r"odd\.leaving raised SystemExit: 1"),
        ("doc_to_text", "nothing", "doc_to_text gives None, and no text"),
        ("doc_to_visual", "lone", r"odd\.lone should give a list, not Sound"),
    ],
)
def test_a_function_that_gives_nothing_to_ask_costs_its_doc(folder: Any, field: str, function: str, words: str) -> None:
    (folder / "odd.py").write_text(ODD)
    (first, *_) = made(folder, f"{field}: !function odd.{function}\n").samples
    assert re.match(words, first.reason)


def test_a_doc_without_anything_to_hear_is_asked_all_the_same(folder: Any) -> None:
    (folder / "odd.py").write_text(ODD)
    (request,) = asked(made(folder, "doc_to_visual: !function odd.nothing\n"))
    assert request.turns[0].parts == ("Q0? Say it.",)


def test_what_a_function_does_to_its_doc_is_forgotten(folder: Any) -> None:
    (folder / "odd.py").write_text(ODD)
    (first, *_) = made(folder, "doc_to_text: !function odd.clearing\n").samples
    assert (first.target, first.meta["task"]) == ("no", "music")


def test_a_metric_that_no_sample_has_is_told(folder: Any) -> None:
    made(folder, "metric_list: [{metric: never, aggregation: mean}]\n")
    document = run(folder, "'no'")
    assert document["refused"] == {"never": "none of the samples is told anything by it"}


def test_a_function_of_no_file_is_told_with_the_yaml(folder: Any) -> None:
    task = made(folder, "doc_to_text: !function nowhere.text\n")
    with pytest.raises(SpecError, match=r"task\.yaml: there is no nowhere\.py beside it"):
        list(task.samples)


def test_rows_may_be_a_json_array_and_given_on_the_command_line(folder: Any) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    (folder / "all.json").write_text(json.dumps(rows))
    task = made(folder, options={"data": str(folder / "all.json")})
    assert len(list(task.samples)) == len(task.samples) == 4


def test_another_split_is_another_file(folder: Any, manifest: Any) -> None:
    manifest([{"audio": "0.wav", "question": "?", "answer": "a", "task": "t"}], "other.jsonl")
    (sample,) = made(folder, options={"split": "dev"}).samples
    assert sample.inputs["turns"][0].parts[0].path == folder / "0.wav"


def test_a_dataset_on_disk_is_read_with_its_sounds_encoded(folder: Any) -> None:
    datasets = pytest.importorskip("datasets")
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    for row in rows:
        row["audio"] = {"bytes": (folder / row["audio"]["path"]).read_bytes(), "path": None}
    saved = datasets.Dataset.from_list(rows)
    datasets.DatasetDict({"test": saved}).save_to_disk(folder / "saved")
    more = f"dataset_path: {folder / 'saved'}\nprocess_docs: !function utils.dataset_map\n"
    more += "dataset_kwargs: {token: true}\n"
    found = list(made(folder, more).samples)
    assert [each.meta["task"] for each in found] == ["music", "music"]
    assert found[0].inputs["turns"][0].parts[0].info().rate == 16_000


def test_process_docs_sees_rows_of_a_file_too(folder: Any) -> None:
    pytest.importorskip("datasets")
    assert len(list(made(folder, "process_docs: !function utils.dataset_map\n").samples)) == 2


def test_pictures_in_rows_are_pictures_in_what_is_asked(folder: Any, manifest: Any) -> None:
    from PIL import Image as Pillow

    Pillow.new("RGB", (2, 2)).save(folder / "p.png")
    row = {"audio": {"bytes": None, "path": "p.png"}, "question": "?", "answer": "a", "task": "t"}
    manifest([row], "rows.jsonl")
    assert isinstance(asked(made(folder))[0].turns[0].parts[0], Image)


# --- several requests --------------------------------------------------------------------------

CHOICE = """
output_type: multiple_choice
doc_to_choice: ["no", "yes"]
generation_kwargs: null
process_results: null
"""


def test_options_are_weighed_by_likelihood(folder: Any) -> None:
    task = made(folder, f"{CHOICE}metric_list: [{{metric: acc}}, {{metric: acc_norm}}]\n")
    requests = asked(task)
    assert [each.continuation for each in requests] == [" no", " yes"]
    assert [each.name for each in task.metrics] == ["acc", "acc_char"]
    assert next(iter(task.samples)).inputs["choices"] == ["no", "yes"]


def test_rounds_go_on_until_the_function_ends_them(folder: Any) -> None:
    task = made(
        folder,
        "output_type: generate_until_multi_round\ndoc_to_text: !function utils.rounds\n"
        "lmms_eval_specific_kwargs: null\nprocess_results: !function utils.count_rounds\n"
        "metric_list: [{metric: rounds}]\n",
    )
    (sample, *_), (metric,) = task.samples, task.metrics
    said = [Generation(text=text) for text in ("a ", "b")]
    assert metric.score(sample, *said) == 2.0
    requests = asked(task)
    texts = [each.turns[0].parts[-1] for each in requests]
    assert texts == ["Start.", "You said …; 16000", "You said …; 16000"]
    assert all(isinstance(each.turns[0].parts[0], Audio) for each in requests)


# --- what is scored ---------------------------------------------------------------------------


def test_the_file_s_own_functions_score(folder: Any) -> None:
    document = run(folder, "'yes' if 'Q1' in text or 'Q2' in text else 'no'")
    assert values(document) == {"accuracy": 50.0, "plain": 0.5}


def test_an_answer_that_would_be_guessed_at_random_is_unreadable(folder: Any) -> None:
    document = run(folder, "'' if 'Q0' in text else 'yes'")
    (found,) = [each for each in document["numbers"] if each["metric"] == "plain"][:1]
    assert (found["scored"], found["unreadable"]) == (3, 1)
    scores = (folder / "run" / "scores.jsonl").read_text()
    assert "random.choice would have guessed one" in scores


def test_a_metric_that_a_sample_lacks_passes_it_over(folder: Any) -> None:
    task = made(folder, "metric_list: [{metric: sometimes, aggregation: mean}]\n")
    (metric,), samples = task.metrics, list(task.samples)
    assert metric.score(samples[0], Generation(text="no")) is None
    assert metric.score(samples[2], Generation(text="no")) == 1.0


def test_an_aggregation_that_writes_files_is_left_out_and_told(folder: Any) -> None:
    more = "metric_list: [{metric: all, aggregation: !function utils.submit}, {metric: plain}]\n"
    task = made(folder, more)
    assert [each.name for each in task.metrics] == ["plain"]
    assert task.notes("m", {}) == ["all is left out: utils.submit uses open."]


@pytest.mark.parametrize(
    ("name", "uses"), [("judged", "urllib"), ("judged_within", "openai"), ("judged_by_class", "server")]
)
def test_a_function_that_asks_a_server_is_refused_by_name(folder: Any, name: str, uses: str) -> None:
    with pytest.raises(SpecError, match=f"utils.{name} uses {uses}, so it does more than score"):
        made(folder, f"process_results: !function utils.{name}\n")


def test_metrics_of_ours_take_the_place_of_the_file_s(folder: Any) -> None:
    task = made(folder, "process_results: !function utils.judged\n", options={"metrics": "exact_match,contains"})
    assert [each.name for each in task.metrics] == ["exact_match", "contains"]


def test_filters_stand_before_the_metrics(folder: Any) -> None:
    task = made(
        folder,
        r"""
process_results: null
metric_list: [{metric: exact_match}]
filter_list:
  - name: strict
    filter: [{function: regex, regex_pattern: "is (\\w+)"}, {function: take_first}]
  - name: low
    filter: [{function: lowercase}]
""",
    )
    sample = next(iter(task.samples))
    scores = {m.name: m.score(sample, Generation(text="It is no")) for m in task.metrics}
    assert scores == {"exact_match-strict": 1.0, "exact_match-low": 0.0}


def test_a_run_is_scored_again_without_its_data(folder: Any, auricle: Any) -> None:
    run(folder, "'no'")
    before = values(json.loads((folder / "run" / "metrics.json").read_text()))
    (folder / "rows.jsonl").unlink()
    done = auricle("score", "run")
    assert done.returncode == 0, done.stderr
    assert values(json.loads((folder / "run" / "metrics.json").read_text())) == before


# --- on the command line ------------------------------------------------------------------------


def test_a_task_runs_from_the_command_line_with_a_class_of_lmms_eval(folder: Any, auricle: Any) -> None:
    classes = str(Path(__file__).with_name("lmms_classes.py"))
    done = auricle(*("run", "lmms:task.yaml", "-m", f"lmms:{classes}:Simple", "-o", "run", "--json"))
    assert done.returncode == 0, done.stderr
    assert "nobody reads" not in done.stdout
    (first,) = [each for each in Run.load(folder / "run").records() if each.row == 0]
    assert first.outputs[0].text.startswith("Q0? Say it. 800@16000:")
    assert first.outputs[0].text.endswith(r"['\n\n']")


def test_a_prefixed_file_is_no_task_file_of_ours() -> None:
    assert resolve_task("lmms:a/task.yaml", None, {"x": 1}) == ("lmms:a/task.yaml", {"x": 1})


def test_a_group_stands_for_the_tasks_beside_it(folder: Any) -> None:
    (folder / "group.yaml").write_text("group: both\ntask: [mine, second]\n")
    (folder / "second.yaml").write_text("include: _base\ntask: second\ntest_split: test\n")
    found = TASKS.members(f"lmms:{folder / 'group.yaml'}", {})
    assert found == [f"lmms:{folder / name}.yaml" for name in ("task", "second")]


# --- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("output_type: generate_until_agentic\n", "output_type generate_until_agentic is not run"),
        ("num_fewshot: 2\n", "num_fewshot is not followed here: examples are chosen by `shots`"),
        ("full_docs: true\n", "full_docs is not followed here"),
        ("repeats: 5\n", "repeats is not followed here"),
        ("process_results: null\nmetric_list: [{metric: anls}]\n", "the metric anls"),
        ("metric_list: [{metric: plain, aggregation: bleu}]\n", "the aggregation bleu of plain"),
        ("filter_list: [{name: a, filter: [{function: map}]}]\n", "the filter map is not known"),
        (f"{CHOICE}metric_list: [{{metric: f1}}]\n", "f1 of likelihoods"),
        ("process_results: !function utils.absent\n", "has no function 'absent'"),
        ("process_results: !function absent.fn\n", "No module called 'absent'"),
        ("process_results: !function fn\n", "should be FILE.FUNCTION"),
        ("dataset_kwargs: {data_files: [a, b]}\n", "names no one file of the split 'test'"),
        ("dataset_path: null\n", "it names no dataset_path"),
        ("dataset_path: audiofolder\n", "dataset_path audiofolder is not read here"),
        ("dataset_path: lab/it\n", "dataset_kwargs.data_files of a dataset is not followed"),
        ("generation_kwargs: 3\n", "generation_kwargs should hold"),
        ("include: [: [\n", "is not valid YAML"),
        ("include: task.yaml\n", "a circle"),
    ],
)
def test_what_is_not_followed_is_refused_by_name(folder: Any, more: str, words: str) -> None:
    base = more if "include" in more else TASK
    with pytest.raises(SpecError, match=words.replace("[", r"\[")):
        made(folder, "" if "include" in more else more, base=base)


def test_an_option_that_is_none_is_refused(folder: Any) -> None:
    with pytest.raises(SpecError, match=r"takes no option splits. Did you mean split"):
        made(folder, options={"splits": "dev"})


def test_what_is_no_yaml_file_is_no_task() -> None:
    with pytest.raises(UnknownName, match=r"should be lmms:FILE.yaml"):
        TASKS.get("lmms:mmau_test_mini")


def test_a_file_of_a_checkout_finds_its_neighbours(folder: Any) -> None:
    tasks = folder / "lmms_eval" / "tasks"
    (tasks / "mine").mkdir(parents=True)
    (tasks / "__init__.py").write_text("raise RuntimeError('this need not be run')")
    (tasks / "shared.py").write_text(
        f"with open({str(tasks / 'read')!r}, 'a') as file:\n    file.write('r')\n\n\n"
        "def doc_to_text(doc, *_):\n    return 'shared'\n"
    )
    (tasks / "mine" / "utils.py").write_text("""
from lmms_eval.tasks.shared import doc_to_text


def target(doc):
    return doc["answer"]
""")
    for name, function in (("near", "utils"), ("far", "lmms_eval.tasks.shared")):
        (tasks / "mine" / f"{name}.yaml").write_text(
            f"dataset_path: json\ntest_split: test\ndoc_to_text: !function {function}.doc_to_text\n"
            f"doc_to_target: {'!function utils.target' if name == 'near' else 'answer'}\n"
        )
        task = TASKS.get(f"lmms:{tasks / 'mine' / name}.yaml")(data=str(folder / "rows.jsonl"))
        assert asked(task)[0].turns[0].parts == ("shared",)
    assert (tasks / "read").read_text() == "rr"  # once for each file, not for each doc
