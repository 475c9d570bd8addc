"""What CONTRIBUTING.md states about metrics, task kinds, model families and benchmarks, played in a copy of the tree.

Each contribution changes only the files that its row of "Where do I add …" names, and then the tests of that row pass.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support import paths

pytestmark = pytest.mark.slow
NOT_COPIED = (".git", ".venv", ".mutants", ".*_cache", ".hypothesis", "__pycache__")
GUIDE = (paths.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Contribution:
    """What a contributor writes."""

    part: str
    """First cell of its row."""
    files: Mapping[str, str] = field(default_factory=dict)
    """New files."""
    registered: tuple[str, str, str] = ("", "", "")
    """A file, a line of it, and what is written below this line."""
    described: tuple[str, str, str] = ("", "", "")
    """What its tests ask for: the same of a further file."""
    missing: str = ""
    """What a failing test states before that."""

    def write(self, root: Path) -> None:
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        insert(root, *self.registered)

    @property
    def row(self) -> str:
        (row,) = re.findall(rf"^\| {self.part} \|.*$", GUIDE, re.MULTILINE)
        return str(row)

    @property
    def own_tests(self) -> list[str]:
        """The tests that its row names, and its own file."""
        named = re.findall(r"tests/[\w/]+/test_\w+\.py", self.row)
        return [*named, *(name for name in self.files if name.rpartition("/")[2].startswith("test_"))]


def insert(root: Path, name: str, line: str, text: str) -> None:
    """Write a text below a line of a file, or at the end."""
    path = root / name
    content = path.read_text(encoding="utf-8")
    assert line in content, f"{name} has no line {line!r}"
    path.write_text(content.replace(line, f"{line}{text}", 1) if line else content + text, encoding="utf-8")


def read_blocks(language: str) -> list[tuple[str, str]]:
    """Return the title and the text of each block of "Your first change"."""
    section = GUIDE.partition("## Your first change")[2].partition("\n## ")[0]
    return re.findall(rf'^```{language}(?: title="([^"]+)")?\n(.*?)^```$', section, re.MULTILINE | re.DOTALL)


def read_metric() -> Contribution:
    """Return the metric of "Your first change"."""
    commands = "".join(text for _, text in read_blocks("sh"))
    ((page, entry),) = re.findall(r"^cat >> (\S+) <<'END'\n(.*?)^END$", commands, re.MULTILINE | re.DOTALL)
    ((line, name, path),) = re.findall(r"^sed -i '/\^([^/]+)/a \\(.*)' (\S+)$", commands, re.MULTILINE)
    text = (paths.ROOT / path).read_text(encoding="utf-8")
    (whole_line,) = re.findall(rf"^{re.escape(line)}.*\n", text, re.MULTILINE)
    return Contribution(
        "a metric",
        files=dict(read_blocks("python")),
        registered=(path, whole_line, f"{name}\n"),
        described=(page, "", entry),
        missing="add [[entries]] with these metrics to a page in the folder reference/ of the feature",
    )


LISTING = """
from auricle.models.listing import ModelListing
"""
MODEL = '''"""A model that repeats its prompt."""

from collections.abc import Sequence

from auricle.core.types import Generate, Generation
from auricle.models.base import BatchModel


class Parrot(BatchModel):
    """Repeats the text of each request."""

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=request.text) for request in batch]
'''
MODEL_TEST = '''"""The parrot."""

from auricle import load_model


def test_it_repeats_its_prompt() -> None:
    with load_model("parrot") as model:
        assert model.ask(text="hello").text == "hello"
'''
BENCHMARK = '''"""Spoken numbers."""

from __future__ import annotations

from pathlib import Path

from auricle.benchmarks import base, sources


def _read(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    table = sources.find_below(root, f"numbers/{part['split']}.tsv")
    for row in sources.read_table(table, ("name", "text", "speaker")):
        sound = table.parent / "audio" / f"{row['name']}.wav"
        yield base.make_item(row["name"], sound, row["text"], speaker=row["speaker"])


NUMBERS = base.Benchmark(
    **base.about("numbers", "Numbers", "asr", language="en", licence="CC BY 4.0"),
    source="example.org/numbers",
    citation="Doe, 2026",
    splits={"test": 2},
    layout="numbers/test.tsv and numbers/audio/NAME.wav",
    read=_read,
    task_options={"cluster": "speaker"},
)
'''
BENCHMARK_TEST = '''"""Tests of the spoken numbers."""

from tests.support.miniatures_suite import SpeechSuite


class TestNumbers(SpeechSuite):
    tasks = ("numbers",)
'''
MINIATURE = """

def numbers(root: Path) -> None:
    write_tone(root / "numbers/audio/n1.wav")
    write_tone(root / "numbers/audio/n2.wav")
    write_lines(root / "numbers/test.tsv", "n1\\tone two\\tann", "n2\\tthree\\tben")


SPEECH = (
    *SPEECH,
    Miniature("numbers", numbers, {"n1": "one two", "n2": "three"}, file="numbers/audio/n1.wav"),
)
"""
KIND = '''"""Spelled words."""

from auricle.data.manifest import ColumnMapping
from auricle.engine.kinds import MEDIA_TEMPLATE, TaskKind
'''
KIND_TEST = '''"""The kind `spelling`."""

from pathlib import Path

from auricle.engine.catalogue import TASK_KINDS


def test_rows_are_words(tmp_path: Path) -> None:
    (tmp_path / "words.jsonl").write_text('{"text": "a b c", "word": "abc"}')
    (sample,) = TASK_KINDS.get("spelling")(data=str(tmp_path / "words.jsonl")).samples
    assert sample.target == "abc"
'''
CONTRIBUTIONS = (
    read_metric(),
    Contribution(
        "a task kind",
        files={
            "src/auricle/tasks/spelling/__init__.py": '"""Spelling."""\n\nfrom auricle.core.features import Feature\n',
            "src/auricle/tasks/spelling/kind.py": KIND,
            "tests/tasks/spelling/__init__.py": "",
            "tests/tasks/spelling/test_kind.py": KIND_TEST,
        },
        registered=(
            "src/auricle/tasks/spelling/__init__.py",
            "",
            '\nFEATURE = Feature(__name__, "spelling", task_kinds={"spelling": ("kind:spelling", "spelled words")})\n',
        ),
        described=(
            "src/auricle/tasks/spelling/kind.py",
            "",
            '\nCOLUMNS = ColumnMapping(("word",), question_columns=("text",))\n'
            'spelling = TaskKind("spelling", COLUMNS, f"{MEDIA_TEMPLATE}{{question}}", ("exact_match",))\n',
        ),
        missing="spelling",
    ),
    Contribution(
        "a model family",
        files={"src/auricle/models/parrot.py": MODEL, "tests/models/test_parrot.py": MODEL_TEST},
        registered=(
            "src/auricle/models/catalogue.py",
            "_MODELS: Mapping[str, tuple[str, str]] = {\n",
            '    "parrot": ("parrot:Parrot", "repeats its prompt"),\n',
        ),
        described=(
            "src/auricle/models/parrot.py",
            '    """Repeats the text of each request."""\n',
            '\n    listing = ModelListing(group="Chat and language")\n',
        ),
        missing="add `listing = ModelListing(group=…)` to each class in src/auricle/models/",
    ),
    Contribution(
        "a benchmark",
        files={"src/auricle/benchmarks/numbers.py": BENCHMARK, "tests/benchmarks/test_numbers.py": BENCHMARK_TEST},
        registered=(
            "src/auricle/benchmarks/__init__.py",
            "    tasks={\n",
            '        "numbers": ("numbers:NUMBERS", "spoken numbers"),\n',
        ),
        described=("tests/support/miniatures_speech.py", "", MINIATURE),
        missing="run scripts/make_benchmarks_table.py, which writes docs/benchmarks.md",
    ),
)


@pytest.mark.parametrize("contribution", CONTRIBUTIONS, ids=lambda contribution: contribution.part)
def test_a_row_names_every_file_of_a_contribution(contribution: Contribution) -> None:
    named = re.findall(r"(?:src|tests)/[\w./]+\w/?", contribution.row)
    changed = [*contribution.files, contribution.registered[0], contribution.described[0]]
    for name in changed:
        is_own_test = name in contribution.own_tests and "own file" in contribution.row
        assert is_own_test or any(name == place or name.startswith(f"{place.rstrip('/')}/") for place in named), name


def test_contributions_are_green_and_tests_say_what_is_missing(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(paths.ROOT, clone, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    for contribution in CONTRIBUTIONS:
        contribution.write(clone)
    code, output = run_tests(clone)
    assert code
    for contribution in CONTRIBUTIONS:
        assert contribution.missing in output

    insert(clone, "src/auricle/models/parrot.py", "from auricle.models.base import BatchModel", LISTING.rstrip())
    for contribution in CONTRIBUTIONS:
        insert(clone, *contribution.described)
    for script in sorted({*re.findall(r"scripts/make_\w+\.py", "".join(each.row for each in CONTRIBUTIONS))}):
        run(clone, script)
    code, output = run_tests(clone, "tests/test_architecture.py")
    assert not code, output
    code, output = run(clone, "-m", "ruff", "check", "src", "tests")
    assert not code, output


def run_tests(clone: Path, *further: str) -> tuple[int, str]:
    """Run the tests that concern the contributions."""
    tests = [name for contribution in CONTRIBUTIONS for name in contribution.own_tests]
    return run(
        *(clone, "-m", "pytest", "-q", "-n0", "--continue-on-collection-errors", "-m", "not slow and not thorough"),
        *dict.fromkeys([*tests, *further]),
    )


def run(clone: Path, *words: str | Path) -> tuple[int, str]:
    """Run Python with the code of the copy; return the exit code and the output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CI", "PYTEST"))}
    environment["PYTHONPATH"] = os.pathsep.join((str(clone / "src"), str(clone)))
    process = subprocess.run(
        [sys.executable, *words], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    return process.returncode, process.stdout + process.stderr
