"""Configs are interpreted without running them, together with the configs that they include."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.frameworks.aisbench.config_expressions import MAX_SIZE
from auricle.frameworks.aisbench.config_reader import find_datasets, read_config


def write(folder: Path, text: str, name: str = "c.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_loops_conditions_and_element_assignments_are_interpreted(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        numbers = []
        settings: dict = {"kept": [1]}
        for index, name in enumerate(["a", "b", "c"]):
            if name == "b":
                continue_after = True
            elif index > 1:
                settings["last"] = name
            else:
                pass
            numbers += [index]
            numbers.append(index * 10)
        first, second = numbers[:2]
        settings["kept"][0] += 5
        del index, name
        """.replace("\n        ", "\n"),
    )
    values = read_config(path)
    assert values["numbers"] == [0, 0, 1, 10, 2, 20]
    assert (values["first"], values["second"]) == (0, 0)
    assert values["settings"] == {"kept": [6], "last": "c"}
    assert "index" not in values


def test_the_block_of_a_script_is_not_run(tmp_path: Path) -> None:
    path = write(tmp_path, "a = 1\nif __name__ == '__main__':\n    print(a)\n")
    assert read_config(path) == {"a": 1}


def test_included_configs_are_read(tmp_path: Path) -> None:
    write(tmp_path, "things = [1]\nothers = [2]\n", "package/sets/other.py")
    write(tmp_path, "more = 3\n", "package/upper.py")
    path = write(
        tmp_path,
        "with read_base():\n"
        "    from .other import things as mine\n"
        "    from ..upper import *\n"
        "    from package.sets.other import others\n"
        "mine.append(more)\n",
        "package/sets/c.py",
    )
    assert read_config(path) == {"mine": [1, 3], "more": 3, "others": [2]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from .absent import x", r"c\.py:2: .* includes a config that does not exist"),
        ("from .other import absent", r"c\.py:2: .* imports absent, which .*other\.py does not assign"),
        ("from .loop import x", r"loop\.py:2: .* includes this config again"),
        ("import os", r"c\.py:2: `import os` does not import from another config"),
    ],
)
def test_what_cannot_be_included_is_rejected_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, "things = [1]\n", "other.py")
    write(tmp_path, "with read_base():\n    from .c import x\n", "loop.py")
    with pytest.raises(SpecError, match=message):
        read_config(write(tmp_path, f"with read_base():\n    {text}\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f():\n    return 1", r"c\.py:2: `def f\(\):` is not a statement of a config"),
        ("while True:\n    pass", "is not a statement of a config"),
        ("class A:\n    pass", "is not a statement of a config"),
        ("with open('x') as file:\n    pass", "is not `with read_base"),
        ("for x in 5:\n    pass", "is not a list"),
        ("del a.b", "deletes something other than a name"),
    ],
)
def test_other_statements_are_rejected_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        read_config(write(tmp_path, f"a = 1\n{text}\n"))


def test_a_dataset_in_two_lists_counts_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "a_datasets = [dict(abbr='a', infer_cfg={})]\nb_datasets = [dict(abbr='b', infer_cfg={})]\n"
        "all_datasets = sum((v for k, v in locals().items() if k.endswith('_datasets')), [])\n",
    )
    assert [dataset["abbr"] for dataset in find_datasets(path)] == ["a", "b"]


def test_a_config_without_datasets_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="contains no dataset"):
        find_datasets(write(tmp_path, "x = {}\n"))


def test_a_dataset_that_contains_itself_is_rejected(tmp_path: Path) -> None:
    path = write(tmp_path, "a = dict(infer_cfg={})\na['a'] = a\n")
    with pytest.raises(SpecError, match=f"more than {MAX_SIZE:,} values"):
        find_datasets(path)


def test_invalid_python_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is not valid Python"):
        read_config(write(tmp_path, "a = = 1\n"))
    with pytest.raises(SpecError, match="There is no file"):
        read_config(tmp_path / "absent.py")
