"""Recognition and translation corpora of the catalogue, from official layouts to numbers."""

from pathlib import Path
from typing import Any

import pytest

from auricle.api import build_task, evaluate
from auricle.cli.data import check_samples, prepare_data
from auricle.core.errors import DataError
from auricle.engine.spec import Spec, resolve_task
from auricle.tasks.catalogue import TASKS
from tests.support.miniatures_speech import SPEECH

each_corpus = pytest.mark.parametrize("corpus", SPEECH, ids=str)


def spec_of(corpus: Any, root: Any) -> Any:
    return Spec(task=corpus.task, model="echo", task_args={"root": str(root), **corpus.options})


def samples_of(corpus: Any, root: Any) -> Any:
    return list(build_task(spec_of(corpus, root)).samples)


@each_corpus
def test_rows_are_found_in_the_official_layout(corpus: Any, tmp_path: Path) -> None:
    corpus.build(tmp_path)
    found = samples_of(corpus, tmp_path)
    assert {each.id: each.target for each in found} == corpus.rows
    assert list(corpus.rows) == [each.id for each in found]
    assert corpus.meta.items() <= found[0].meta.items()
    sounds = {each.id: each.inputs["audio"][0] for each in found}
    assert sounds[found[0].id].path == tmp_path / corpus.file
    assert all((sounds[name].start, sounds[name].end) == span for name, span in corpus.spans.items())


@pytest.mark.parametrize(
    ("name", "nearer"),
    [
        ("librispeech", "LibriSpeech"),
        ("librispeech", "LibriSpeech/test-clean"),
        ("fleurs-zh", "cmn_hans_cn"),
        ("common-voice-de", "cv-corpus-17.0-2024-03-15"),
        ("common-voice-de", "cv-corpus-17.0-2024-03-15/de"),
        ("covost2-de_en", "de"),
        ("aishell", "data_aishell"),
        ("aishell-2", "AISHELL-2"),
        ("tedlium", "TEDLIUM_release-3"),
        ("voxpopuli", "transcribed_data/en"),
        ("earnings22", "earnings22"),
        ("spgispeech", "spgispeech"),
    ],
)
def test_a_root_may_be_the_folder_itself(name: str, nearer: str, tmp_path: Path) -> None:
    corpus = next(each for each in SPEECH if str(each) == name)
    corpus.build(tmp_path)
    assert [each.id for each in samples_of(corpus, tmp_path / nearer)] == list(corpus.rows)


@each_corpus
def test_a_prepared_manifest_runs_to_the_same_numbers(
    corpus: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus.build(tmp_path / "root")
    options = [f"{name}={value}" for name, value in corpus.options.items()]
    out = tmp_path / "made" / "manifest.jsonl"
    assert prepare_data(corpus.task, tmp_path / "root", options, out, False) == 0
    command = capsys.readouterr().out.splitlines()[-1].removeprefix("Run it: ").split()
    at = command.index("--as")
    given = dict(word.split("=", 1) for word in command[at:] if "=" in word)
    kind, arguments = resolve_task(command[2], command[at + 1], given)
    ours = evaluate(spec_of(corpus, tmp_path / "root"), tmp_path / "a")
    theirs = evaluate(Spec(task=kind, task_args=arguments, model="echo"), tmp_path / "b")
    assert [_plain(each) for each in ours] == [_plain(each) for each in theirs]
    assert ours[0].scored == len(corpus.rows)


def _plain(number: Any) -> Any:
    return number.metric, number.value, number.interval, number.scored


@each_corpus
def test_check_finds_a_missing_and_a_broken_file(corpus: Any, tmp_path: Path) -> None:
    corpus.build(tmp_path)
    first = next(iter(corpus.rows))
    assert not _faults(corpus, tmp_path)
    (tmp_path / corpus.file).write_bytes(b"RIFF nothing")
    assert ("broken", first) in _faults(corpus, tmp_path)
    (tmp_path / corpus.file).unlink()
    assert ("missing", first) in _faults(corpus, tmp_path)


def _faults(corpus: Any, root: Any) -> Any:
    found = check_samples(build_task(spec_of(corpus, root))).problems
    return {(kind, name) for kind, name, _ in found if kind != "count"}


@each_corpus
def test_a_wrong_root_is_told_with_what_was_looked_for_and_found(corpus: Any, tmp_path: Path) -> None:
    (tmp_path / "holiday").mkdir()
    task = build_task(spec_of(corpus, tmp_path))
    with pytest.raises(DataError) as error:
        task.samples.peek()
    bench = TASKS.get(corpus.task)
    assert str(error.value).startswith(f"{bench.title}: no ")
    assert "holiday/" in str(error.value)
    assert bench.layout in str(error.value)
    assert "\n" not in str(error.value)
