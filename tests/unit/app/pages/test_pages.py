"""The pages for trying models and running benchmarks, without a browser."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from auricle.app import workspace as shelves
from auricle.app.jobs import Job, JobManager
from auricle.app.pages import benchmark
from auricle.app.workspace import Workspace


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = Workspace(tmp_path / "runs", (tmp_path / "mine",))
    for folder in (found.root, *found.allowed_folders):
        folder.mkdir()
    for name, value in shelves.workspace_environment(found).items():
        monkeypatch.setenv(name, value)
    return found


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Orders and demos that were begun, without a process."""
    found = []

    def begin(self: Any, job: Any) -> Any:
        found.append(job)
        return job

    monkeypatch.setattr(JobManager, "_start_job", begin)
    return found


def drawn(name: Any, state: Any = (), **query: Any) -> Any:
    """A page by itself, as a visitor left it."""
    script = f"from auricle.app.navigation import _drawing\n_drawing({name!r})()"
    app = AppTest.from_string(script, default_timeout=20)
    for key, value in query.items():
        app.query_params[key] = value
    for key, value in dict(state).items():
        app.session_state[key] = value
    app.run()
    assert not app.exception
    return app


def button(app: Any, label: Any) -> Any:
    return next(each for each in app.button if each.label == label)


def test_a_newcomer_is_offered_the_demo(shelf: Any, started: Any) -> None:
    app = drawn("home")
    button(app, "Run the demo").click().run()
    (job,) = started
    assert job.words[:3] == ("demo", "-o", str(shelf.root / "demo"))
    assert job.runs == ("demo/moonshine", "demo/pocketsphinx")


def test_somebody_with_runs_sees_the_latest(shelf: Any) -> None:
    (shelf.root / "broken").mkdir()
    (shelf.root / "broken" / "spec.json").write_text("{")
    app = drawn("home")
    assert not [each for each in app.button if each.label == "Run the demo"]
    assert any("cannot be read" in each.value for each in app.markdown)


def test_a_form_starts_a_run_of_a_task(shelf: Any, started: Any) -> None:
    app = drawn("benchmark", {"bench-model": "echo", "bench-limit": 3})
    button(app, "Start").click().run()
    (job,) = started
    assert job.words == ("run", "demo", "-m", "echo", "--limit", "3", "-o",
                         str(shelf.root / "demo-echo"))  # fmt: skip


def test_a_form_starts_a_run_of_data_in_a_named_folder(shelf: Any, started: Any) -> None:
    (shelf.allowed[0] / "mine.jsonl").write_text("{}")
    data = str(shelf.allowed[0] / "mine.jsonl")
    chosen = {"bench-source": "My data", "bench-data": data, "bench-kind": "qa"}
    app = drawn("benchmark", chosen)
    button(app, "Start").click().run()
    assert started[0].words[1] == data


def test_data_elsewhere_is_refused_on_the_page(shelf: Any, started: Any) -> None:
    (shelf.allowed[0] / "link.jsonl").symlink_to("/etc/passwd")
    data = str(shelf.allowed[0] / "link.jsonl")
    app = drawn("benchmark", {"bench-source": "My data", "bench-data": data})
    button(app, "Start").click().run()
    assert "may read" in app.error[0].value
    assert not started


def test_nothing_starts_without_data(shelf: Any) -> None:
    assert button(drawn("benchmark", {"bench-source": "My data"}), "Start").disabled


def test_a_run_cannot_be_named_out_of_the_folder(shelf: Any, started: Any) -> None:
    app = drawn("benchmark", {"bench-name": "../../x"})
    button(app, "Start").click().run()
    assert "no name for a run" in app.error[0].value
    assert not started


@pytest.mark.parametrize("name", ["../mine", "gone"])
def test_an_address_leads_nowhere_but_to_runs(shelf: Any, name: str) -> None:
    app = drawn("benchmark", run=name)
    assert app.error


def test_a_stopped_job_can_be_resumed_and_a_refused_one_says_why(shelf: Any, started: Any) -> None:
    jobs = JobManager(shelf)
    jobs._folder.mkdir()
    jobs._write(Job("a", ("run",), ("a",), started_at=1.0, exit_code=130))
    jobs._write(Job("b", ("run",), ("b",), started_at=2.0, exit_code=2))
    jobs._log_path("b").write_text("auricle: no such thing **here**\n")
    app = drawn("benchmark")
    assert [each.value for each in app.error] == ["no such thing \\*\\*here\\*\\*"]
    button(app, "Resume").click().run()
    assert [job.name for job in started] == ["a"]


def test_a_name_that_is_taken_gets_a_number(shelf: Any) -> None:
    (shelf.root / "demo-echo").mkdir()
    assert benchmark.suggest_run_name(shelf, "demo", "echo") == "demo-echo-2"
    assert benchmark.suggest_run_name(shelf, "/x/mine.test.jsonl", "/y/m.py:A") == "mine-m.py-A"


def ask(*models: Any, text: str = "", source: str = "None") -> Any:
    chosen = {"listen-source": source, "listen-models": list(models), "listen-text": text}
    app = drawn("listen", chosen)
    button(app, "Ask").click().run()
    assert not app.exception
    return app


def test_answers_stand_side_by_side_each_in_its_kind(shelf: Any) -> None:
    app = ask("echo", "fake-labels", "fake-reward", "fake-api", source="Demo")
    assert [each.value for each in app.subheader] == ["echo", "fake\\-labels", "fake\\-reward",
                                                      "fake\\-api"]  # fmt: skip
    assert [each.value for each in app.text] == ["s01-clean", "s01-clean"]
    assert app.metric[0].label == "top class"
    assert {each.label for each in app.metric} >= {"alignment", "musicality"}
    assert not app.error
    assert len(app.code) == 4


def test_an_answer_is_shown_to_the_letter(shelf: Any) -> None:
    app = ask("echo", text="<b>**x**</b>")
    assert app.text[0].value == "<b>**x**</b>"


def test_another_question_hides_the_old_answer(shelf: Any) -> None:
    app = ask("echo", text="x")
    app.text_area(key="listen-text").set_value("y").run()
    assert not app.text


def test_a_models_own_error_is_its_answer_and_nobody_elses(shelf: Any) -> None:
    (shelf.allowed[0] / "bad.py").write_text(
        "from auricle import BatchModel\nclass Bad(BatchModel):\n"
        "    def generate(self, batch):\n        raise ValueError('no *luck*')\n"
    )
    app = ask(f"{shelf.allowed[0]}/bad.py:Bad", "echo", text="x")
    assert "no \\*luck\\*" in app.error[0].value
    assert app.text[0].value == "x"


def test_a_model_elsewhere_is_refused(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit")
    app = ask(f"{tmp_path}/evil.py:Evil", text="x")
    assert "no folder this app may read" in app.error[0].value.replace("\\", "")


def test_an_upload_that_is_no_sound_is_a_message(shelf: Any) -> None:
    app = drawn("listen", {"listen-source": "Upload"})
    app.file_uploader(key="listen-file").set_value(("evil.wav", b"not a sound", "audio/wav")).run()
    assert "evil.wav" in app.error[0].value.replace("\\", "")
    assert button(app, "Ask").disabled


def test_a_recording_is_played_and_drawn(shelf: Any, tone: Any) -> None:
    app = drawn("listen", {"listen-source": "Record"})
    recording = tone("a.wav", 0.2).read_bytes()
    app.audio_input(key="listen-recording").set_value(("a.wav", recording, "audio/wav")).run()
    assert len(app.get("audio")) == 1
    assert len(app.get("vega_lite_chart")) == 2, {e.type for e in app.main}
