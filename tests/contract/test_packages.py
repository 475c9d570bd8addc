"""Packages add parts of every kind through entry points, and what they add works to the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from auricle.cli import cli
from auricle.cli.list_ import REGISTRIES
from auricle.core.errors import SpecError
from auricle.report.figures import load_figure_sources
from auricle.runs.metrics import read_metrics
from tests.support import paths
from tests.support.extras import require_extra
from tests.support.packages import write_package

ROWS = [{"id": str(index), "question": f"Say {word}.", "answer": f"say {word}"} for index, word in enumerate("abc")]


@pytest.fixture
def quiz(manifest: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Write three questions in the working folder; `echo` answers them but for case and punctuation."""
    monkeypatch.chdir(tmp_path)
    path: Path = manifest(ROWS, "quiz.jsonl")
    return path


def run_command(*words: Any) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def values_of(run: str | Path) -> dict[str, float]:
    return {number.metric: number.value for number in read_metrics(Path(run)).overall if number.value is not None}


def test_metric_is_computed(install: Any, quiz: Path) -> None:
    code = """
        from auricle import metric

        @metric(limits=(0.0, 1.0))
        def asks_nicely(sample, output):
            return float("Say" in output.text)
    """
    install("auricle-nice", {"metrics": {"nice": "auricle_nice:asks_nicely"}}, code)
    run_command("run", quiz, "--as", "qa", "-m", "echo", "-T", "metrics=nice", "-o", "run")
    assert values_of("run") == {"asks_nicely": 1.0}


def test_task_and_model_are_run(install: Any, quiz: Path) -> None:
    code = """
        from auricle import BatchModel, Generation, Sample, Task
        from auricle.metrics.catalogue import METRICS
        from auricle.engine.inferencers import Respond

        class Upper(BatchModel):
            def generate(self, batch):
                return [Generation(text=request.text.upper()) for request in batch]

        def shouting():
            samples = [Sample(id="1", inputs={"text": "hey"}, target="HEY")]
            return Task(samples, Respond("{text}"), [METRICS.get("exact_match")], name="shouting")
    """
    points = {"models": {"upper": "auricle_upper:Upper"}, "tasks": {"shouting": "auricle_upper:shouting"}}
    install("auricle-upper", points, code)
    run_command("run", "shouting", "-m", "upper", "-o", "run")
    assert values_of("run") == {"exact_match": 1.0}


def test_task_kind_is_chosen_with_as_and_in_task_files(install: Any, quiz: Path) -> None:
    code = """
        from auricle.data.manifest import ColumnMapping
        from auricle.engine.kinds import TaskKind

        repeat = TaskKind("repeat", ColumnMapping(("answer",)), "{question}", ("wer",))
    """
    install("auricle-repeat", {"task_kinds": {"repeat": "auricle_repeat:repeat"}}, code)
    run_command("run", quiz, "--as", "repeat", "-m", "echo", "-T", "profile=basic", "-o", "run")
    assert values_of("run") == {"wer": 0.0}
    Path("repeat.yaml").write_text("kind: repeat\ndata: quiz.jsonl\nprofile: basic\n")
    run_command("run", "repeat.yaml", "-m", "echo", "-o", "from-file")
    assert values_of("from-file") == {"wer": 0.0}


def test_profile_normalises_references_and_answers(install: Any, quiz: Path) -> None:
    code = """
        from auricle.text import Profile

        initials = Profile("initials", 1, lambda text: text.lower()[:3], "words", (), "the first three letters")
    """
    install("auricle-initials", {"profiles": {"initials": "auricle_initials:initials"}}, code)
    run_command("run", quiz, "--as", "qa", "-m", "echo", "-T", "metrics=wer", "-o", "run", "--profile", "none")
    assert values_of("run")["wer"] == 1.0
    run_command("score", "run", "--profile", "initials")
    assert values_of("run")["wer"] == 0.0
    assert "initials:1" in str(read_metrics(Path("run"))["wer"].signature)
    assert "the first three letters (from auricle-initials 1.0)" in run_command("list", "profiles").output


def test_inferencer_retriever_and_encoder_are_used(install: Any, quiz: Path) -> None:
    code = """
        import numpy as np
        from auricle.engine.inferencers import Respond

        def twice(prompt):
            return Respond("{question} {question}")

        class Last:
            def rank(self, sample, allowed):
                return allowed[::-1]

        def count_letters(samples):
            return np.array([[1.0, len(str(sample.inputs))] for sample in samples])
    """
    points = {
        "inferencers": {"twice": "auricle_parts:twice"},
        "retrievers": {"last": "auricle_parts:Last"},
        "encoders": {"letters": "auricle_parts:count_letters"},
    }
    install("auricle-parts", points, code)
    assert "Say a. Say a." in run_command("preview", quiz, "--as", "qa", "-T", 'inferencer={"use": "twice"}').output
    shown = run_command("preview", quiz, "--as", "qa", "-T", 'shots={"use": "last", "k": 1}').output
    assert "say c" in shown
    encoded = '{"use": "dense", "encoder": "letters", "k": 1}'
    assert "say b" in run_command("preview", quiz, "--as", "qa", "-T", f"shots={encoded}").output


def test_prefix_gives_names_to_another_package(install: Any, quiz: Path) -> None:
    code = """
        from auricle.testing.models import Echo

        def find_model(name):
            "Models that repeat a word."
            return type(name, (Echo,), {"__init__": lambda self: Echo.__init__(self, reply=name)})
    """
    install("auricle-words", {"model_adapters": {"word": "auricle_words:find_model"}}, code)
    assert run_command("ask", "-m", "word:hello", "--text", "hi").output.strip() == "hello"
    assert "Models that repeat a word. (from auricle-words 1.0)" in run_command("list", "models").output


def test_load_pattern_is_measured(install: Any, quiz: Path) -> None:
    code = """
        from auricle.perf.load_patterns import Burst
        from auricle.perf.load_syntax import LoadSyntax

        def parse(arguments):
            (count,) = arguments.take_positional()
            return [Burst(2 * int(count))]

        pairs = LoadSyntax("pairs:COUNT", parse)
    """
    install("auricle-pairs", {"load_patterns": {"pairs": "auricle_pairs:pairs"}}, code)
    output = run_command("perf", quiz, "--as", "qa", "-m", "echo", "--load", "pairs:2", "-o", "run").output
    assert "burst:4" in output
    with pytest.raises(SpecError, match=r"Load 'pairs': a number is missing\. Expected pairs:COUNT\."):
        run_command("perf", quiz, "--as", "qa", "-m", "echo", "--load", "pairs", "-o", "other")


def test_results_are_imported_and_exported(install: Any, quiz: Path) -> None:
    code = """
        from auricle.core.types import Generation
        from auricle.frameworks.exchange.result_export import TextRun, get_text, write_jsonl
        from auricle.frameworks.exchange.result_files import ImportedResults, ImportedSample, ResultFormat

        def read(path, lines):
            samples = [
                ImportedSample(
                    manifest_row={"id": values["key"], "question": "?", "answer": values["truth"]},
                    origin=origin,
                    outputs=(Generation(text=values["guess"]),),
                )
                for origin, values in lines
            ]
            return ImportedResults(path=path, model="other", dataset="quiz", samples=samples, kind="qa")

        def export(run, out, notify):
            records = TextRun.load(run, "guesses").records
            rows = [
                {"key": record.sample.id, "guess": get_text(record), "truth": record.sample.target}
                for record in records
            ]
            return [write_jsonl(out / "guesses.jsonl", rows)]

        FORMAT = ResultFormat("guesses", "Guesses", ("key", "guess"), "*.jsonl", "guesses.jsonl", read)
    """
    points = {"importers": {"guesses": "auricle_guesses:FORMAT"}, "exporters": {"guesses": "auricle_guesses:export"}}
    install("auricle-guesses", points, code)
    run_command("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    assert "guesses.jsonl" in run_command("export", "run", "--as", "guesses").output
    rows = [json.loads(line) for line in Path("run/guesses/guesses.jsonl").read_text().splitlines()]
    assert rows[0] == {"key": "0", "guess": "Say a.", "truth": "say a"}
    run_command("import", "run/guesses", "--from", "guesses", "-o", "imported")
    assert values_of("imported") == values_of("run")


def test_config_is_imported_as_a_task_file(install: Any, quiz: Path) -> None:
    code = """
        from auricle.frameworks.exchange.task_drafts import TaskDraft

        def draft_tasks(source, folder):
            task = {"name": "drafted", "kind": "qa", "data": source.read_text().strip()}
            return [TaskDraft("From a list of files", folder, task=task)]
    """
    install("auricle-lists", {"config_importers": {"lists": "auricle_lists:draft_tasks"}}, code)
    Path("files.txt").write_text("quiz.jsonl\n")
    assert "kind: qa" in run_command("import", "files.txt", "--from", "lists").output


SECTION = """
    from markupsafe import Markup

    def longest_answer(page):
        length = max(len(sample.answer) for sample in page.samples)
        return Markup("<p>{} letters by {}</p>").format(length, page.metrics.model.name)

    def fail(page):
        raise KeyError("length")

    def say_less(page):
        return None

    def escape(page):
        return "<script>"
"""


def test_section_is_in_the_report(install: Any, quiz: Path) -> None:
    names = {"longest-answer": "longest_answer", "nothing": "say_less", "text": "escape", "failing": "fail"}
    points = {name: f"auricle_sections:{function}" for name, function in names.items()}
    install("auricle-sections", {"report_sections": {**points, "gone": "no_such_module:section"}}, SECTION)
    run_command("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    page = Path("run/report.html").read_text()
    assert '<section id="longest-answer">\n<h2>Longest answer</h2>\n<p>6 letters by echo</p>' in page
    assert '<a href="#longest-answer">Longest answer</a>' in page
    assert "<h2>Nothing</h2>" not in page
    assert "&lt;script&gt;" in page
    assert "The report section &#39;failing&#39; of the package auricle-sections 1.0 failed: KeyError" in page
    assert "the module &#39;no_such_module&#39; is not installed" in page


def test_page_is_in_the_app(install: Any, quiz: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_extra("ui")
    from streamlit.testing.v1 import AppTest

    from auricle.app.pages import list_pages, title_and_icon
    from auricle.app.workspace import Workspace, workspace_environment
    from tests.support.app_pages import draw_page, page_text

    code = """
        import streamlit as st

        def draw():
            st.markdown("Drawn by a package")
    """
    points = {"word-cloud": "auricle_cloud:draw", "gone": "no_such_module:page"}
    install("auricle-cloud", {"app_pages": points}, code)
    for name, value in workspace_environment(Workspace(Path.cwd())).items():
        monkeypatch.setenv(name, value)
    app = AppTest.from_string("from auricle.app.main import main\nmain()", default_timeout=60).run()
    assert not app.exception
    assert list_pages()[-2:] == ["gone", "word-cloud"]
    assert title_and_icon("word-cloud")[0] == "Word cloud"
    assert "Drawn by a package" in page_text(draw_page("word-cloud"))
    assert "the module 'no" in page_text(draw_page("gone")).replace("\\", "")


def test_every_kind_lists_the_package_of_a_part(install: Any) -> None:
    for kind in REGISTRIES:
        package = f"auricle-{kind}-package"
        install(package, {kind.replace("-", "_"): {"added": "no_such_module:part"}})
        listed = json.loads(run_command("list", kind, "--json").output)["added"]
        assert package in listed["package"]
        assert "no_such_module" in listed["summary"] or "defined by" in listed["summary"]


def test_broken_package_is_one_line_and_only_where_it_is_used(tmp_path: Path) -> None:
    site = tmp_path / "site"
    parts = {kind.replace("-", "_"): {"broken": "auricle_broken:part"} for kind in REGISTRIES}
    write_package(site, "auricle-broken", parts, "import not_installed_here")
    (tmp_path / "quiz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def auricle(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "auricle", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)

    used = auricle("run", "quiz.jsonl", "--as", "qa", "-m", "broken")
    assert used.returncode == 2
    assert used.stderr.splitlines() == [
        "auricle: The model 'broken' of the package auricle-broken 1.0 cannot be loaded: the module "
        "'not_installed_here' is not installed. Repair the package, or uninstall it."
    ]
    unused = auricle("run", "quiz.jsonl", "--as", "qa", "-m", "echo", "-o", "run")
    assert unused.returncode == 0, unused.stderr


def test_name_of_a_built_in_part_is_refused_and_others_still_work(install: Any, quiz: Path) -> None:
    install("auricle-clash", {"metrics": {"wer": "auricle_clash:wer"}}, "def wer(sample, output):\n    return 0.0\n")
    with pytest.raises(SpecError, match=r"The metric 'wer' is defined by auricle and by auricle-clash 1\.0"):
        run_command("run", quiz, "--as", "qa", "-m", "echo", "-T", "metrics=wer", "-o", "run")
    run_command("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    assert "exact_match" in values_of("run")


def test_doctor_reports_packages_and_what_is_broken(install: Any) -> None:
    install("auricle-fine", {"metrics": {"fine": "auricle_fine:fine"}}, "def fine(sample, output):\n    return 1.0\n")
    install("auricle-gone", {"tasks": {"gone": "no_such_module:task"}})
    output = run_command("doctor").output
    assert "ok  package auricle-fine 1.0: metric fine" in output
    assert "NO  The task 'gone' of the package auricle-gone 1.0 cannot be loaded" in output


def test_every_kind_is_in_the_table_of_the_documentation() -> None:
    page = (paths.DOCS / "publish-a-package.md").read_text(encoding="utf-8")
    assert not [kind for kind in ("commands", *REGISTRIES) if f"`auricle.{kind.replace('-', '_')}`" not in page]


def test_errors_of_figures_observers_and_commands_are_stated_and_end_no_run(install: Any, quiz: Path) -> None:
    code = """
        from auricle.report.figures import FigureSource
        from auricle.scoring.record_observers import RecordObserver

        class Failing(RecordObserver):
            def see(self, record):
                raise KeyError("column")

        class Figures(FigureSource):
            def show(self, view, record, metric, *, is_page):
                raise ValueError("too wide")
    """
    points = {
        "record_observers": {"failing": "auricle_parts:Failing", "gone": "no_such_module:Observer"},
        "figures": {"wide": "auricle_parts:Figures"},
        "commands": {"broken": "no_such_module:command", "run": "no_such_module:run"},
    }
    install("auricle-parts", points, code)
    load_figure_sources.cache_clear()
    run_command("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    load_figure_sources.cache_clear()
    notes = " ".join(read_metrics(Path("run")).notes)
    assert "The record observer 'failing' of the package auricle-parts 1.0 failed: KeyError: 'column'" in notes
    assert "the module 'no_such_module' is not installed" in notes
    assert "The figure &#39;wide&#39; of the package auricle-parts 1.0 failed: ValueError: too wide" in (
        Path("run/report.html").read_text()
    )
    assert "broken" in run_command("--help").output
    with pytest.raises(SpecError, match="The command 'broken' of the package auricle-parts"):
        run_command("broken")
