"""`auricle doctor`: checks of the installation, of data, of a model and of batching."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec
from auricle.cli.doctor import check_installation, check_model, check_parity, list_extras, list_needed_extras
from auricle.engine.dry_run import check_task_data
from tests.support.cli_types import RunAuricle, WriteManifest, WriteTone

PADDING_MODEL = """
from auricle import BatchModel, Generation

class Padding(BatchModel):
    '''Pads texts to the longest of the batch and, unless `masks`, keeps the padding in its output.'''

    def __init__(self, masks=False):
        self.masks = masks

    def generate(self, batch):
        texts = [str(request.turns[-1].parts[-1]) for request in batch]
        longest = max(map(len, texts))
        return [Generation(text=t if self.masks else t.ljust(longest, "_")) for t in texts]
"""


def parity_results(tmp_path: Path, **model_args: Any) -> list[tuple[bool, str]]:
    (tmp_path / "padding.py").write_text(PADDING_MODEL)
    rows = ({"question": "a" * length, "answer": "a"} for length in range(1, 5))
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps(row) for row in rows))
    model = f"{tmp_path / 'padding.py'}:Padding"
    return list(check_parity(Spec(task="qa", task_args={"data": str(data)}, model=model, model_args=model_args), 4))


SORTING_MODEL = """
from auricle import BatchModel, Generation

class Sorting(BatchModel):
    '''Sorts its batch by length and, unless `restores`, forgets to restore the order.'''

    def __init__(self, restores=False):
        self.restores = restores

    def generate(self, batch):
        requests = batch if self.restores else sorted(batch, key=lambda request: len(request.text))
        return [Generation(text=request.text) for request in requests]
"""


@pytest.mark.parametrize(("restores", "passed"), [(False, False), (True, True)])
def test_outputs_in_another_order_are_found(tmp_path: Path, restores: bool, passed: bool) -> None:
    (tmp_path / "sorting.py").write_text(SORTING_MODEL)
    (tmp_path / "data.csv").write_text("question,answer\naaa,a\nb,a\ncc,a\n")
    model, data = f"{tmp_path / 'sorting.py'}:Sorting", {"data": str(tmp_path / "data.csv")}
    arguments = {"restores": restores}
    spec = Spec(task="qa", task_args=data, model=model, model_args=arguments)
    (*_, (result, text)) = check_model(model, arguments, spec)
    assert result is passed
    assert ("another order" in text) is not passed


def test_outputs_that_depend_on_the_batch_are_not_taken_for_permuted(tmp_path: Path) -> None:
    (tmp_path / "padding.py").write_text(PADDING_MODEL.replace('"_"', "texts[0][0]"))
    (tmp_path / "data.csv").write_text("question,answer\naaa,a\nb,a\ncc,a\n")
    model = f"{tmp_path / 'padding.py'}:Padding"
    spec = Spec(task="qa", task_args={"data": str(tmp_path / "data.csv")}, model=model)
    assert not any("order" in text for _, text in check_model(model, {}, spec))


@pytest.mark.slow
def test_data_and_model_are_checked(auricle: RunAuricle, manifest: WriteManifest, tone: WriteTone) -> None:
    tone("a.wav")
    path = manifest([{"audio": "a.wav", "text": "x"}, {"audio": "b.wav", "text": "x"}])
    done = auricle("doctor", path, "--as", "asr", "-m", "echo")
    assert done.returncode == 2
    assert "ok  echo can generate, loglikelihood" in done.stdout
    verdict, problem, *others = done.stdout.splitlines()
    assert verdict.startswith("ok  1 of the first 2 rows")
    assert problem.startswith("NO  mine.jsonl:2:")
    assert not any(line[4:].startswith("extra ") for line in others)
    assert "the request with a one-second tone returned" in done.stdout


def test_integer_answers_of_unknown_meaning_fail_the_check(manifest: WriteManifest) -> None:
    path = manifest([{"question": "Which?", "choices": ["cat", "dog", "cow"], "answer": 1}])
    ((passed, reason),) = check_task_data(Spec(task="mcq", task_args={"data": str(path)}, model="echo"), 20)
    assert passed is False
    assert "State what integers mean with -T integer_answers=0-based|1-based|text" in reason


def test_healthy_installation_exits_with_zero(auricle: RunAuricle) -> None:
    done = auricle("doctor")
    assert done.returncode == 0
    assert "HTTP requests to a server on this machine work" in done.stdout


def test_checks_are_printed_as_json(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"question": "x", "answer": "x"}, {"answer": "x"}])
    done = auricle("doctor", path, "--as", "qa", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["passed"]) == (2, False)
    assert {"passed": True, "text": "1 of the first 2 rows are valid samples, 0.0 s of audio"} in document["checks"]


def test_parity_requires_a_model(auricle: RunAuricle) -> None:
    done = auricle("doctor", "--parity")
    assert done.returncode == 2
    assert "Add -m MODEL." in done.stderr


def test_parity_finds_samples_with_unmasked_padding(tmp_path: Path) -> None:
    (passed, line), *samples = parity_results(tmp_path)
    assert not passed
    assert line == "parity: 1 of 4 outputs are the same in a batch"
    assert samples[0] == (False, "  0: alone 'a', in a batch 'a___'")


def test_parity_passes_if_padding_is_masked(tmp_path: Path) -> None:
    assert parity_results(tmp_path, masks=True) == [(True, "parity: 4 of 4 outputs are the same in a batch")]


@pytest.mark.parametrize(("model", "extras"), [("openai", ["api"]), ("echo", []), ("ctc", ["transformers"])])
def test_only_the_extras_of_the_model_are_listed(model: str, extras: list[str]) -> None:
    needed = list_needed_extras(model, {})
    assert needed == extras
    lines = [text for _, text in check_installation(needed) if text.startswith("extra ")]
    assert [line.split()[1].rstrip(":") for line in lines] == extras


def test_extras_and_their_packages_are_those_of_the_installed_package() -> None:
    extras = list_extras()
    assert extras["api"] == ["aiohttp", "pybase64"]
    assert not {"test", "realtime-test", "serve-test"} & set(extras)
