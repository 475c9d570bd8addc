"""Runs as other tools' files: what goes out comes in again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.core.errors import SpecError
from auricle.engine.spec import Spec
from auricle.interop.result_export import export_run
from auricle.interop.result_import import ImportOptions, import_results
from auricle.runs.run_directory import Run
from tests.support.framework_results import cmi, kimi, open_asr

TEXTUAL = ("kimi", "lmms-eval", "ultraeval", "open-asr")
WORDS = ("one two", "three 4 five", "", "six")


@pytest.fixture(autouse=True, scope="module")
def few_rounds() -> Iterator[Any]:
    """Intervals are told elsewhere; here a few draws will do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auricle.metrics.statistics.BOOTSTRAP_ROUNDS", 20)
        yield


@pytest.fixture
def own(tmp_path: Path, manifest: Any, tone: Any) -> Any:
    """A run of one's own: a recogniser that writes what the question says, and fails once."""
    rows = [
        {"id": f"s{at}", "audio": str(tone(f"{at}.wav")), "question": said, "text": "one two three"}
        for at, said in enumerate(WORDS)
    ]
    code = tmp_path / "parrot.py"
    code.write_text(
        "from auricle import AsyncModel, Generation\n"
        "class Parrot(AsyncModel):\n"
        "    async def generate(self, request):\n"
        "        text = request.turns[-1].parts[-1]\n"
        "        if text == 'six':\n"
        "            raise ValueError('out of words')\n"
        "        return Generation(text=text, tokens=len(text))\n"
    )
    path = manifest(rows)
    spec = Spec(task="asr", task_args={"data": str(path), "language": "en"}, model=f"{code}:Parrot")
    api.evaluate(spec, tmp_path / "own")
    return tmp_path / "own"


@pytest.fixture(scope="module")
def rewards(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of rewards."""
    place = tmp_path_factory.mktemp("rewards")
    ((folder, _),) = import_results(cmi(place), "cmi", place / "run", ImportOptions())
    return folder


def back(run: Any, form: Any, tmp_path: Path, **told: Any) -> Any:
    """What comes of a run that was exported and imported."""
    export_run(run, form, tmp_path / form)
    out = tmp_path / f"{form}-again"
    ((folder, _),) = import_results(tmp_path / form, form, out, ImportOptions(**told))
    return Run.load(folder)


def answers(path: Any) -> Any:
    records = sorted(Run.load(path).records(), key=lambda record: record.row)
    return [each.outputs for each in records if not each.error]


def numbers(path: Any) -> Any:
    return {
        each["metric"]: (each["value"], each["low"], each["high"], each["scored"])
        for each in api.summary(path)
        if not each["field"]
    }


@pytest.mark.parametrize("form", TEXTUAL)
def test_what_goes_out_comes_in_with_equal_answers_and_scores(form: Any, own: Any, tmp_path: Path) -> None:
    again = back(own, form, tmp_path, kind="asr", options={"language": "en"})
    assert [each[0].text for each in answers(again.path)] == [e[0].text for e in answers(own)]
    assert numbers(again.path) == numbers(own)


@pytest.mark.parametrize("form", ["kimi", "lmms-eval", "ultraeval"])
def test_a_failure_goes_out_and_comes_in_as_one(form: str, own: Any, tmp_path: Path) -> None:
    again = back(own, form, tmp_path, kind="asr")
    assert api.metrics(again.path)["outcomes"]["failed"] == 1


def test_a_form_without_failures_is_told_of_them(own: Any, tmp_path: Path) -> None:
    told = []
    export_run(own, "open-asr", tmp_path / "out", told.append)
    assert told[0] == "1 failed, left out of the file: the form knows no failures."


def test_times_of_our_own_are_not_passed_off_as_the_model_s(own: Any, tmp_path: Path) -> None:
    (path,) = export_run(own, "open-asr", tmp_path / "out")
    assert {json.loads(line)["time"] for line in path.read_text().splitlines()} == {None}


def test_times_that_others_told_go_out_again(tmp_path: Path) -> None:
    ((folder, _),) = import_results(open_asr(tmp_path), "open-asr", tmp_path / "run", ImportOptions())
    again = back(folder, "open-asr", tmp_path)
    assert api.metrics(again.path)["speed"] == api.metrics(folder)["speed"]


def test_ids_survive_where_a_form_has_room_for_them(own: Any, tmp_path: Path) -> None:
    again = back(own, "kimi", tmp_path)
    assert {each.sample.id for each in again.records()} == {"s0", "s1", "s2", "s3"}


def test_kimi_s_rows_have_its_fields(own: Any, tmp_path: Path) -> None:
    path, performance = export_run(own, "kimi", tmp_path / "out")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    wanted = {"index", "audio_path", "question", "answer", "subset", "prediction", "real_prompt"}
    assert wanted <= rows[0].keys()
    assert [row["index"] for row in rows] == [0, 1, 2, 3]
    assert rows[3]["prediction"] == "null"
    assert json.loads(performance.read_bytes())["task"] == "ASR"


def test_an_imported_run_goes_out_under_its_own_names(tmp_path: Path) -> None:
    ((folder, _),) = import_results(kimi(tmp_path), "kimi", tmp_path / "run", ImportOptions())
    path, _ = export_run(folder, "kimi", tmp_path / "out")
    assert path == tmp_path / "out" / "Kimi-Audio" / "LibriSpeech" / "Kimi-Audio_LibriSpeech.jsonl"


def test_rewards_come_in_as_they_went_out(rewards: Any, tmp_path: Path) -> None:
    again = back(rewards, "cmi", tmp_path, model="CMI-RM")
    assert answers(again.path) == answers(rewards)
    assert numbers(again.path) == numbers(rewards)


def test_numbers_have_no_place_in_a_file_of_texts(rewards: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"outputs \(Prediction\); kimi keeps one text a sample"):
        export_run(rewards, "kimi", tmp_path / "out")


def test_questions_have_no_place_among_transcripts(manifest: Any, tmp_path: Path) -> None:
    path = manifest([{"id": "1", "question": "2 + 2?", "answer": "4"}])
    api.evaluate(Spec(task="qa", task_args={"data": str(path)}, model="echo"), tmp_path / "run")
    with pytest.raises(SpecError, match="a run of qa; open-asr keeps transcripts"):
        export_run(tmp_path / "run", "open-asr", tmp_path / "out")
