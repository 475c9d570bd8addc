"""Names of tasks in tables: different data never has the same name."""

import pytest

from auricle.runs.metrics import TaskFacts
from auricle.runs.task_names import name_several_tasks, name_tasks


def make_task(source: str, revision: str, name: str = "asr-test") -> TaskFacts:
    return TaskFacts(name, source=source, revision=revision)


def test_tasks_of_the_same_name_are_followed_by_their_data() -> None:
    tasks = [make_task("/a/en/test.jsonl", "1"), make_task("/a/de/test.jsonl", "2"), make_task("/b/de/test.jsonl", "3")]
    assert name_tasks(tasks) == ["asr-test (en/test.jsonl)", "asr-test (a/de/test.jsonl)", "asr-test (b/de/test.jsonl)"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("/here/test.jsonl", "1"), ("/there/test.jsonl", "1")),  # the same content in another place
        (("/here/test.jsonl", "1"), ("/here/test.jsonl", "2")),  # more rows of it, or a changed file
        (("/here/test.jsonl", ""), ("/there/test.jsonl", "")),  # not scored yet
        (("", "1"), ("", "2")),
    ],
)
def test_data_that_does_not_distinguish_tasks_is_not_named(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert name_tasks([make_task(*first), make_task(*second)]) == ["asr-test", "asr-test"]


def test_a_source_that_is_the_end_of_another_is_named_in_full() -> None:
    assert name_tasks([make_task("x/data.csv", "1"), make_task("data.csv", "2")]) == [
        "asr-test (x/data.csv)",
        "asr-test (data.csv)",
    ]


def test_a_single_task_has_no_column() -> None:
    tasks = [make_task("/a", "1"), make_task("/a", "1")]
    assert name_several_tasks(tasks) == ["", ""]
    assert name_several_tasks([*tasks, make_task("/a", "1", "tts")]) == ["asr-test", "asr-test", "tts"]
    assert name_several_tasks([]) == []
