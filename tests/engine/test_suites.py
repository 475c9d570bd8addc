"""Suites: parts, shares, and what can be averaged."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from auricle import RunConfig, Suite, SuitePart
from auricle.core.direction import Directed
from auricle.core.errors import SpecError
from auricle.engine.suites import AVERAGES, find_suite, read_suite
from tests.support.suites import write_parts, write_suite


@dataclass(frozen=True)
class Measure(Directed):
    higher_is_better: bool = True
    unit: str = "share"
    optimum: str = ""


def make_suite(**fields: object) -> Suite:
    parts = (SuitePart(task="one"), SuitePart(task="two", weight=3), SuitePart(task="three"))
    return Suite(**{"name": "mine", "parts": parts, **fields})  # type: ignore[arg-type]


def test_suite_is_read_from_yaml_with_paths_relative_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path = tmp_path / "suite.yaml"
    path.write_text(
        "name: quiz\nmetric: wer\naverage: languages\nversion: 3\nlicence: CC0\nlanguages: [en, de]\nsuite:\n"
        "  - data/english.yaml\n"
        "  - {task: data/rows.jsonl, as: qa, name: rows, weight: 2.5, task_args: {root: data, language: de}}\n"
        "  - {task: librispeech, metric: cer}\n  - mine.py:task\n"
    )
    suite = read_suite(path)
    assert suite is not None
    english, rows, librispeech, own = suite.parts
    assert (suite.name, suite.metric, suite.average, suite.version) == ("quiz", "wer", "languages", 3)
    assert (english.task, english.name, english.weight) == (str(tmp_path / "data/english.yaml"), "english", 1.0)
    assert (rows.task, rows.kind, rows.name, rows.weight) == (str(tmp_path / "data/rows.jsonl"), "qa", "rows", 2.5)
    assert rows.task_args == {"root": str(tmp_path / "data"), "language": "de"}
    assert (librispeech.task, librispeech.metric) == ("librispeech", "cer")
    assert (own.task, own.name) == (f"{tmp_path / 'mine.py'}:task", "task")
    assert suite.provenance.languages == ("en", "de")


def test_suite_extends_another_in_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "base.yaml").write_text("suite: [one.yaml, two.yaml]\nmetric: wer\n")
    (tmp_path / "mine.yaml").write_text("extends: base/base.yaml\nmetric: cer\n")
    suite = read_suite(tmp_path / "mine.yaml")
    assert suite is not None
    assert [part.task for part in suite.parts] == [str(tmp_path / "base/one.yaml"), str(tmp_path / "base/two.yaml")]
    assert suite.metric == "cer"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("suite: english.yaml\n", r"suite\.yaml:1: Invalid suite .*: expected a list of tasks"),
        ("suite: []\n", r"suite\.yaml:1: The suite suite has no tasks"),
        ("suite:\n  - a.yaml\n  - sub/a.yaml\n", r"suite\.yaml:3: Two parts of the suite suite are named 'a'"),
        ("suite:\n  - {task: a.yaml, wieght: 2}\n", r"suite\.yaml:2: Unknown field of a suite: 'wieght'. Did you mean"),
        ("suite: [a.yaml]\nmetrik: wer\n", r"suite\.yaml:2: Unknown field of a suite: 'metrik'. Did you mean 'metric'"),
        ("suite:\n  - a.yaml\n  - {task: b.yaml, weight: -1}\n", r"suite\.yaml:3: Invalid weight -1"),
        ("suite:\n  - {name: b}\n", r"suite\.yaml:2: Invalid part .*: expected a task, or a mapping with `task`"),
        ("suite: [a.yaml]\naverage: mean\n", "Invalid average 'mean': expected one of parts, languages"),
        ("suite: [a.yaml]\nversion: 1.5\n", r"suite\.yaml:2: Invalid version 1\.5"),
    ],
)
def test_invalid_suite_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "suite.yaml").write_text(text)
    with pytest.raises(SpecError, match=message):
        read_suite(tmp_path / "suite.yaml")


def test_only_a_suite_is_found_as_one(tmp_path: Path) -> None:
    path = write_suite(tmp_path)
    assert find_suite(str(path)) is not None
    assert find_suite(str(tmp_path / "english.yaml")) is None
    assert find_suite(str(tmp_path / "english.jsonl")) is None
    assert find_suite("librispeech") is None
    assert find_suite("hf:org/name") is None
    assert find_suite("no-such-task") is None


def test_suite_in_a_python_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import Suite, SuitePart\n\nBOTH = Suite(name='both', parts=(SuitePart(task='demo'),))\n"
    )
    suite = find_suite(f"{tmp_path / 'mine.py'}:BOTH")
    assert isinstance(suite, Suite)
    assert (suite.summary, suite.kind) == ("suite of demo", "suite")
    with pytest.raises(SpecError, match=r"both is a suite of several tasks \(demo\)"):
        suite()


def test_shares_follow_the_weights() -> None:
    assert make_suite().shares({}) == {"one": 0.2, "two": 0.6, "three": 0.2}


def test_average_over_languages_gives_each_language_the_same_share() -> None:
    suite = make_suite(average="languages")
    shares = suite.shares({"one": "en", "two": "en", "three": "de"})
    assert shares == {"one": 0.125, "two": 0.375, "three": 0.5}
    with pytest.raises(SpecError, match="needs one language for each part, but three has none"):
        suite.shares({"one": "en", "two": "en"})
    with pytest.raises(SpecError, match="but two has en, de"):
        suite.shares({"one": "en", "two": "en, de", "three": "de"})
    assert AVERAGES == ("parts", "languages")


def test_metrics_that_all_parts_have_are_combined() -> None:
    available = {
        "one": {"wer": Measure(False), "cer": Measure(False)},
        "two": {"cer": Measure(False), "bleu": Measure(True, "points")},
        "three": {"cer": Measure(False)},
    }
    assert make_suite().choose_metrics(available) == {"cer": dict.fromkeys(("one", "two", "three"), "cer")}
    with pytest.raises(SpecError, match="no metric in common: one has wer; two has cer; three has cer"):
        make_suite().choose_metrics({**available, "one": {"wer": Measure(False)}, "two": {"cer": Measure(False)}})


def test_parts_may_have_metrics_of_their_own_if_direction_and_unit_agree() -> None:
    parts = (SuitePart(task="en", metric="wer"), SuitePart(task="zh", metric="cer"))
    suite = Suite(name="mine", parts=parts)
    rates = {"en": {"wer": Measure(False)}, "zh": {"cer": Measure(False)}}
    assert suite.choose_metrics(rates) == {"wer / cer": {"en": "wer", "zh": "cer"}}


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            {"wer": Measure(False)},
            {"accuracy": Measure(True)},
            r"Cannot average wer of en \(lower is better, unit: share\) and accuracy of zh \(higher is better",
        ),
        (
            {"wer": Measure(True)},
            {"accuracy": Measure(True, "points")},
            r"accuracy of zh \(higher is better, unit: points\)",
        ),
        ({"wer": Measure(True, "")}, {"accuracy": Measure(True, "")}, "Cannot average wer of en"),
        ({"wer": Measure(False)}, {"cer": Measure(False)}, "Part zh has no metric 'accuracy'; it has cer"),
    ],
)
def test_numbers_that_cannot_be_averaged_are_refused_by_name(
    first: dict[str, Measure], second: dict[str, Measure], message: str
) -> None:
    parts = (SuitePart(task="en", metric="wer"), SuitePart(task="zh", metric="accuracy"))
    with pytest.raises(SpecError, match=message):
        Suite(name="mine", parts=parts).choose_metrics({"en": first, "zh": second})


def test_suite_with_a_metric_for_one_part_alone_is_refused() -> None:
    parts = (SuitePart(task="en", metric="wer"), SuitePart(task="zh"))
    available = {"en": {"wer": Measure(False)}, "zh": {"wer": Measure(False)}}
    with pytest.raises(SpecError, match="Part zh has no `metric`"):
        Suite(name="mine", parts=parts).choose_metrics(available)


def test_metrics_are_checked_before_anything_runs(tmp_path: Path) -> None:
    write_parts(tmp_path)
    path = tmp_path / "suite.yaml"
    path.write_text("suite:\n  - {task: english.yaml, metric: wer}\n  - {task: german.yaml, metric: exact_match}\n")
    with pytest.raises(SpecError, match=r"Cannot average wer of english .* and exact_match of german"):
        RunConfig.from_fields({"task": str(path), "model": "echo"}, "test").plan()
