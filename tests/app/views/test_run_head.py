"""Tests of the head of a run's page."""

import json
import shutil
from pathlib import Path

from auricle.app.views.run_head import build_command
from auricle.app.workspace import Workspace
from auricle.runs.perf_files import PerfManifest
from auricle.runs.run_notes import RunNotes, write_run_notes
from auricle.runs.run_spec import RunSpec
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import draw_page, page_text


def test_head_names_model_task_data_date_signature_and_command(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="emotion-first")
    head = app.get("html")[0].proto.body
    data = runs / "data" / "ravdess.jsonl"
    for part in (
        "Emotions accuracy=0.5",
        "classify-ravdess, version 1",
        f"{data}, 16 samples",
        "<dt>Started</dt><dd>20",
    ):
        assert part in head
    assert "<code>classify-ravdess:1|" in head
    (command,) = (code.value for code in app.code)
    assert command.startswith("auricle run classify -m tests.support.app_runs:Emotions -M accuracy=0.5 -T data=")
    assert command.endswith(f" -o {runs / 'emotion-first'}")


def test_title_tags_note_and_folder_are_in_the_head(workspace: Workspace, runs: Path) -> None:
    path = shutil.copytree(runs / "quiz-good", workspace.root / "quiz")
    write_run_notes(path, RunNotes(title="The *good* one", tags=("paper", "draft"), note="Check it."))
    app = draw_page("benchmark", run="quiz")
    assert app.title[0].value == r"The \*good\* one"
    assert app.markdown[0].value == r"Check it\."
    for part in ("<dt>Tags</dt><dd>paper, draft</dd>", "<dt>Folder</dt><dd>quiz</dd>"):
        assert part in page_text(app)


def test_head_of_a_broken_run_is_its_title(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("benchmark", hostile_runs, run="no-spec")
    assert app.title[0].value == r"no\-spec"
    assert not app.code


def test_load_test_shows_its_own_command(tmp_path: Path) -> None:
    manifest = PerfManifest(spec={"task": "demo", "model": "echo"}, wanted={}, command=("perf", "demo", "-m", "a b"))
    assert build_command(tmp_path, manifest) == "auricle perf demo -m 'a b'"
    assert not build_command(tmp_path, PerfManifest(spec={}, wanted={}))


def test_imported_and_unknown_runs_have_no_command(tmp_path: Path) -> None:
    spec = {"task": "qa", "model": "echo"}
    assert build_command(tmp_path, RunSpec(spec=spec, identity={}))
    assert not build_command(tmp_path, RunSpec(spec=spec, identity={}, imported={"from": "kimi", "files": []}))
    assert not build_command(tmp_path, RunSpec(spec={**spec, "other": 1}, identity={}))


def test_command_has_no_secret_that_the_run_hides(workspace: Workspace, runs: Path) -> None:
    path = Path(shutil.copytree(runs / "quiz-good", workspace.root / "quiz"))
    document = json.loads((path / "spec.json").read_text())
    document["spec"]["model_args"] = {"api_key": "…", "accuracy": 0.8}
    (path / "spec.json").write_text(json.dumps(document))
    (command,) = (code.value for code in draw_page("benchmark", run="quiz").code)
    assert "-M 'api_key=…'" in command
