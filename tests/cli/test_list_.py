"""`auricle list`: every kind has names."""

import json

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.list_ import REGISTRIES
from auricle.media.perturbations.catalogue import PERTURBATIONS


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_kind_lists_names_with_summaries(kind: str) -> None:
    summaries = json.loads(CliRunner().invoke(cli, ["list", kind, "--json"]).output)
    assert summaries
    assert all(isinstance(entry["summary"], str) for entry in summaries.values())


def test_tasks_are_listed_with_facts_about_their_data() -> None:
    document = json.loads(CliRunner().invoke(cli, ["list", "tasks", "--json"]).output)["librispeech"]
    assert document == {
        "summary": "English audiobooks",
        "version": 1,
        "source": "openslr.org/12",
        "citation": "Panayotov et al., ICASSP 2015",
        "licence": "CC BY 4.0",
        "languages": ["en"],
    }
    lines = CliRunner().invoke(cli, ["list", "tasks"]).output.splitlines()
    (line,) = [line for line in lines if line.startswith("librispeech ")]
    assert line.endswith("English audiobooks (en; CC BY 4.0)")
    (line,) = [line for line in lines if line.startswith("fleurs ")]
    assert line.endswith("(102 languages; CC BY 4.0)")


@pytest.mark.parametrize(
    ("kind", "name"), [("models", "moonshine"), ("tasks", "classify"), ("metrics", "wer"), ("profiles", "whisper-en")]
)
def test_name_is_listed(kind: str, name: str) -> None:
    lines = CliRunner().invoke(cli, ["list", kind]).output.splitlines()
    assert any(line.startswith(f"{name} ") for line in lines)


def test_perturbations_are_listed_with_their_arguments() -> None:
    document = json.loads(CliRunner().invoke(cli, ["list", "perturbations", "--json"]).output)
    assert {"noise", "codec", "replace", "no-audio"} <= set(document)
    noise = document["noise"]
    assert (noise["level"], noise["unit"], noise["harder_if"]) == ("snr", "dB", "lower")
    assert noise["arguments"]["snr"]["required"]
    assert noise["arguments"]["kind"]["default"] == "white"
    assert "babble" in noise["arguments"]["kind"]["choices"]
    lines = CliRunner().invoke(cli, ["list", "perturbations"]).output.splitlines()
    assert "reverb      Add reverberation. (level: t60, s)" in lines
    assert "  t60       Reverberation time in seconds. [required]" in lines
    assert any(line.startswith("  fill ") and line.endswith("One of zeros, repeat. [default: zeros]") for line in lines)
    assert all(facts["help"] for name in PERTURBATIONS for facts in document[name]["arguments"].values())
