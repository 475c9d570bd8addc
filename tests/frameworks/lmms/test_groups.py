"""Groups of lmms-eval: nested, by tag, and with overrides."""

from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.engine.catalogue import TASKS
from auricle.frameworks.lmms.groups import list_members, read_task


@pytest.fixture
def tasks(folder: Path) -> Path:
    for name, lines in {
        "second": "include: _base\ntask: second\ntest_split: test\ntag: short\n",
        "third": "include: _base\ntask: third\ntest_split: test\ntag: [short, odd]\n",
        "pair": "group: pair\ntask: [second, third]\n",
        "all": "group: all\ntask: [mine, pair]\n",
    }.items():
        (folder / f"{name}.yaml").write_text(lines)
    return folder


def expand(folder: Path, name: str) -> list[str]:
    prefix = f"lmms:{folder}/"
    return [member.removeprefix(prefix) for member in TASKS.expand(f"{prefix}{name}", {})]


def test_groups_within_a_group_expand_to_their_tasks_in_order(tasks: Path) -> None:
    assert expand(tasks, "all.yaml") == ["task.yaml", "second.yaml", "third.yaml"]


def test_a_tag_in_a_group_stands_for_the_tasks_that_have_it(tasks: Path) -> None:
    (tasks / "tagged.yaml").write_text("group: tagged\ntask: [odd, short]\n")
    (tasks / "odd.yaml").write_text("group: odd_group\ntask: [odd]\n")
    assert expand(tasks, "odd.yaml") == ["third.yaml"]
    assert expand(tasks, "tagged.yaml") == ["third.yaml", "second.yaml", "tagged.yaml:third-1"]


def test_a_group_may_be_written_into_the_list_of_another(tasks: Path) -> None:
    (tasks / "inline.yaml").write_text("group: inline\ntask:\n  - group: inner\n    task: [pair]\n  - mine\n")
    assert expand(tasks, "inline.yaml") == ["second.yaml", "third.yaml", "task.yaml"]


def test_fields_of_a_group_and_of_its_entries_override_those_of_the_tasks(tasks: Path) -> None:
    (tasks / "few.yaml").write_text(
        "group: few\ntest_split: dev\ntask:\n  - task: second\n    generation_kwargs: {max_new_tokens: 3}\n  - third\n"
    )
    assert expand(tasks, "few.yaml") == ["few.yaml:second", "few.yaml:third"]
    second = read_task(f"{tasks}/few.yaml:second")
    assert (second.get("test_split"), second.get("generation_kwargs")) == ("dev", {"max_new_tokens": 3})
    assert second.get_function("doc_to_text") is not None
    built = TASKS.get(f"lmms:{tasks}/few.yaml:third")(split="test")
    assert built.name == "third"


def test_a_task_written_into_a_group_may_include_a_file(tasks: Path) -> None:
    (tasks / "own.yaml").write_text("group: own\ntask:\n  - task: fourth\n    include: _base\n    test_split: test\n")
    (member,) = expand(tasks, "own.yaml")
    assert member == "own.yaml:fourth"
    assert TASKS.get(f"lmms:{tasks / member}")().name == "fourth"


def test_names_outside_the_folder_are_searched_in_the_tasks_of_the_checkout(tasks: Path) -> None:
    checkout = tasks / "lmms_eval" / "tasks"
    for name, text in {"one/group": "group: g\ntask: [far]\n", "two/far": "task: far\ndataset_path: json\n"}.items():
        file = checkout / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert expand(checkout / "one", "group.yaml") == [f"lmms:{checkout}/two/far.yaml"]


def test_a_missing_name_is_reported_with_the_available_ones(tasks: Path) -> None:
    (tasks / "broken.yaml").write_text("[")
    (tasks / "missing.yaml").write_text("group: missing\ntask: [fifth]\n")
    with pytest.raises(SpecError, match=r"tag 'fifth'. Available: all, mine, .*could not be read: broken.yaml"):
        expand(tasks, "missing.yaml")


def test_a_group_that_contains_itself_is_rejected(tasks: Path) -> None:
    (tasks / "loop.yaml").write_text("group: loop\ntask: [other]\n")
    (tasks / "other.yaml").write_text("group: other\ntask: [loop]\n")
    with pytest.raises(SpecError, match="loop > other > loop"):
        expand(tasks, "loop.yaml")


def test_entries_that_name_no_task_are_rejected(tasks: Path) -> None:
    (tasks / "bad.yaml").write_text("group: bad\ntask:\n  - alias: x\n")
    with pytest.raises(SpecError, match="should be a name or have `task: NAME`"):
        list_members(read_task(f"{tasks}/bad.yaml"))


def test_a_member_that_the_group_lacks_is_rejected(tasks: Path) -> None:
    with pytest.raises(SpecError, match=r"not a group with the task 'ninth'\. Available: second, third"):
        read_task(f"{tasks}/pair.yaml:ninth")


def test_a_group_cannot_be_built_as_one_task(tasks: Path) -> None:
    with pytest.raises(SpecError, match="it is a group of tasks"):
        TASKS.get(f"lmms:{tasks}/pair.yaml")()
