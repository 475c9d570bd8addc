"""The example of words that matter, as its page has it."""

import json
import re
import runpy
import shutil
from pathlib import Path

import pytest

from tests.support import paths
from tests.support.cli_types import RunAuricle

EXAMPLE = paths.EXAMPLES / "words"


@pytest.mark.slow
def test_the_commands_of_the_example_print_what_the_page_states(
    auricle: RunAuricle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    runpy.run_path("messages.py")
    commands = re.findall(r"^auricle (.+)$", (EXAMPLE / "README.md").read_text(), re.MULTILINE)
    outputs = {}
    for command in commands:
        process = auricle(*command.split())
        assert process.returncode == 0, process.stderr
        outputs[command.split()[0]] = process.stdout
    assert "okonkwo" in outputs["words"]
    page = (paths.DOCS / "words.md").read_text()
    for model, metric, arrow, value in re.findall(r"^recogniser\.py:(\w+) +(\w+) ([↓↑]) +(.+)$", page, re.MULTILINE):
        shown = rf"^recogniser\.py:{model} +{metric} {arrow} .* {re.escape(value)}† "
        assert re.search(shown, outputs["show"], re.MULTILINE), (model, metric, value)
    numbers = json.loads(auricle("show", "runs/plain", "--json").stdout)[0]["numbers"]
    values = {number["metric"]: number["value"] for number in numbers if not number["field"]}
    assert values["entity_recall"] == pytest.approx(1 / 3)
    assert values["number_value_errors"] == pytest.approx(1 / 4)
    assert values["punctuation_recall"] == 0.0


def test_every_metric_of_the_page_exists_and_every_metric_is_on_the_page() -> None:
    from auricle.metrics.catalogue import METRICS

    page = (paths.DOCS / "words.md").read_text()
    modules = ("biasing", "entities", "numbers", "written_form", "code_switching", "segments", "semantic")
    names = [
        name
        for name, builtin in METRICS.builtin.items()
        if any(builtin.path.startswith(f"auricle.tasks.asr.words.{module}:") for module in modules)
    ]
    assert len(names) == 32
    assert [name for name in names if f"`{name}`" not in page] == []
