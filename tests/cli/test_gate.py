"""`auricle gate`: verdicts, files and exit codes."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.cli_types import RunAuricle, WriteManifest

pytestmark = pytest.mark.slow


@pytest.fixture
def runs(auricle: RunAuricle, manifest: WriteManifest) -> None:
    rows = [{"id": f"s{at}", "question": f"which number is {at}", "answer": f"number {at}"} for at in range(40)]
    path = manifest(rows)
    for name, wrong in (("old", 0.1), ("same", 0.1), ("bad", 0.9)):
        done = auricle("run", path, "--as", "qa", "-m", "echo", "-M", f"wrong={wrong}", "-T", "metrics=wer", "-o", name)
        assert done.returncode == 0, done.stderr


def test_a_worse_run_does_not_pass_and_an_equal_one_does(auricle: RunAuricle, runs: None, tmp_path: Path) -> None:
    files = ["--markdown", str(tmp_path / "gate.md"), "--junit", str(tmp_path / "gate.xml")]
    done = auricle("gate", "old", "bad", *files)
    assert done.returncode == 4, done.stderr
    assert "The candidate is worse than the baseline: wer." in done.stdout
    assert "### ❌" in (tmp_path / "gate.md").read_text()
    assert ET.parse(tmp_path / "gate.xml").getroot().attrib["failures"] == "1"
    assert auricle("gate", "old", "same", "--margin", "50pp").returncode == 0


def test_an_undecided_gate_passes_only_if_that_is_allowed(auricle: RunAuricle, runs: None, tmp_path: Path) -> None:
    junit = tmp_path / "gate.xml"
    done = auricle("gate", "old", "same", "--junit", str(junit))
    assert done.returncode == 5, done.stderr
    assert "do not decide" in done.stdout
    assert ET.parse(junit).getroot().attrib["failures"] == "1"
    assert auricle("gate", "old", "same", "--allow-undecided", "--junit", str(junit)).returncode == 0
    assert ET.parse(junit).getroot().attrib["skipped"] == "1"


def test_a_gate_and_a_plan_need_the_same_speakers(auricle: RunAuricle, manifest: WriteManifest) -> None:
    rows = [
        {"id": f"s{at}", "question": f"which number is {at}", "answer": f"number {at}", "speaker": f"spk{at % 12}"}
        for at in range(96)
    ]
    path = manifest(rows)
    for name, wrong in (("old", 0.1), ("new", 0.12)):
        model = ["-m", "echo", "-M", f"wrong={wrong}"]
        auricle("run", path, "--as", "qa", *model, "-T", "metrics=wer", "--cluster", "speaker", "-o", name)
    (result,) = json.loads(auricle("gate", "old", "new", "--margin", "4pp", "--json").stdout)["results"]
    plan = auricle("plan", "--pilot", "old", "--pilot", "new", "--difference", repr(result["target"]), "--json")
    assert (result["cluster"], result["units"], result["n"]) == ("speaker", 12, 96)
    assert result["needed"] == json.loads(plan.stdout)["needed"]["units"]


def test_json_has_the_verdict_first(auricle: RunAuricle, runs: None) -> None:
    done = auricle("gate", "old", "bad", "--metric", "wer", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 4
    assert document["verdict"] == "worse"
    assert document["results"][0]["verdict"] == "worse"
    assert document["results"][0]["n"] == 40


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--margin", "much"], "Invalid margin 'much'"),
        (["--margin", "cer=1"], "There is a margin for 'cer', but compared are: wer."),
        (["--metric", "uar"], "uar"),
    ],
)
def test_wrong_options_are_explained(auricle: RunAuricle, runs: None, words: list[str], message: str) -> None:
    done = auricle("gate", "old", "same", *words)
    assert done.returncode == 2
    assert message in done.stderr
