"""emotion2vec through FunASR, with a tiny random checkpoint."""

import json
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("emotion2vec")

import torch
from click.testing import CliRunner

from auricle import load_model
from auricle.cli import cli, main
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.models import emotion2vec as module
from auricle.models.emotion2vec import Emotion2vec
from auricle.models.listing import WITHOUT_WEIGHTS
from tests.support import tiny_emotions
from tests.support.emotional_speech import about, other_file_formats, predict_mono_and_copy, spoken, written
from tests.support.tiny_emotions import LABELS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with module._silence_funasr():
        return tiny_emotions.emotion2vec(tmp_path_factory.mktemp("emotion2vec"))


@pytest.fixture(scope="module")
def model(checkpoint: Any) -> Any:
    return Emotion2vec(str(checkpoint))


@pytest.fixture
def other(tmp_path: Path) -> Any:
    """Build checkpoints that a test may modify."""

    def make(**config: Any) -> Any:
        with module._silence_funasr():
            return tiny_emotions.emotion2vec(tmp_path / "other", **config)

    return make


def one_line(error: Any) -> Any:
    assert "\n" not in str(error.value)
    return str(error.value)


def test_labels_keep_the_spelling_of_the_checkpoint(model: Any) -> None:
    (felt,) = model.predict([about(spoken())])
    assert list(felt.values) == LABELS
    assert felt.scale == "probability"


def test_scores_equal_those_of_funasr(model: Any) -> None:
    (received,) = model._model.generate(spoken(), extract_embedding=False)
    (felt,) = model.predict([about(spoken())])
    assert list(felt.values.values()) == received["scores"]
    assert sum(received["scores"]) == pytest.approx(1, abs=1e-6)
    assert len({round(item, 4) for item in received["scores"]}) > 3


def test_batch_and_order_do_not_change_results(model: Any) -> None:
    requests = [about(spoken(number)) for number in (1, 2, 3)]
    alone = [model.predict([request])[0] for request in requests]
    assert model.predict(requests) == alone
    assert model.predict(requests[::-1]) == alone[::-1]


@other_file_formats
def test_sample_rate_and_channels_do_not_change_results(model: Any, tmp_path: Path, rate: int, channels: int) -> None:
    first, second = predict_mono_and_copy(model, tmp_path, rate, channels)
    assert second == pytest.approx(first, abs=1e-3)


def test_unused_labels_are_omitted(other: Any) -> None:
    labels = ["生气/angry", "unuse_0", "<unk>"]
    (felt,) = Emotion2vec(str(other(labels=labels))).predict([about(spoken())])
    assert list(felt.values) == ["生气/angry", "<unk>"]
    assert sum(felt.values.values()) == pytest.approx(1, abs=1e-6)


def test_clip_shorter_than_a_frame_fails(model: Any) -> None:
    with pytest.raises(SampleError, match=r"the clip has 0\.019 s; emotion2vec needs at least 0\.025 s"):
        model.predict([about(np.zeros(300, dtype=np.float32))])


def test_loading_does_not_change_logging_and_threads(checkpoint: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers), torch.get_num_threads())
    Emotion2vec(str(checkpoint))
    assert (root.level, root.handlers, torch.get_num_threads()) == before
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("lost", module.REQUIRED_FILES)
def test_missing_file_in_the_directory_is_named(other: Any, lost: Any) -> None:
    folder = other()
    (folder / lost).unlink()
    with pytest.raises(SpecError, match=f"is not an emotion2vec model: missing {lost}"):
        Emotion2vec(str(folder))


def test_missing_weights_are_refused(other: Any) -> None:
    folder = other()
    weights = torch.load(folder / "model.pt")
    del weights["model"]["proj.weight"]
    torch.save(weights, folder / "model.pt")
    with pytest.raises(SpecError, match=r"lacks 1 weights \(first: proj.weight\), .* random"):
        Emotion2vec(str(folder))


def test_labels_that_do_not_fit_the_weights_are_refused(other: Any) -> None:
    folder = other()
    (folder / "tokens.txt").write_text("a\nb\n<unk>\n")
    with pytest.raises(SpecError) as error:
        Emotion2vec(str(folder))
    assert "size mismatch for proj.weight" in one_line(error)


def test_checkpoint_of_another_model_is_refused(other: Any) -> None:
    with pytest.raises(SpecError, match="contains the FunASR model Paraformer, not Emotion2vec"):
        Emotion2vec(str(other(model="Paraformer")))


def test_checkpoint_without_a_tokenizer_is_refused(other: Any) -> None:
    with pytest.raises(SpecError, match="has no emotion labels"):
        Emotion2vec(str(other(tokenizer=None)))


def test_code_in_the_configuration_is_not_executed(other: Any, tmp_path: Path) -> None:
    folder = other()
    config = (folder / "config.yaml").read_text()
    spec = tiny_emotions.emotion2vec_shape()["modalities"]["audio"]["feature_encoder_spec"]
    assert spec in config
    trap = f"open({str(tmp_path / 'trap')!r}, 'w')".replace("'", '"')
    (folder / "config.yaml").write_text(config.replace(f"{spec}", trap))
    with pytest.raises(SpecError, match="contains code: feature_encoder_spec must be a list"):
        Emotion2vec(str(folder))
    assert not (tmp_path / "trap").exists()


def test_import_error_of_funasr_is_reported(checkpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import funasr

    failed = {"funasr.models.emotion2vec.model": "ModuleNotFoundError: No module named 'distutils'"}
    monkeypatch.setattr(funasr, "get_import_errors", lambda: failed)
    with pytest.raises(SpecError, match=r"cannot be imported: .* No module named 'distutils'"):
        Emotion2vec(str(checkpoint))


def test_missing_directory_is_not_searched_on_a_hub() -> None:
    with pytest.raises(SpecError, match="no such directory: /no/such/folder"):
        Emotion2vec("/no/such/folder")


def test_unknown_size_error_lists_the_sizes() -> None:
    with pytest.raises(SpecError, match=r"neither a directory nor a size. Sizes: large, base, seed"):
        Emotion2vec("huge")


def test_unknown_hub_is_refused() -> None:
    with pytest.raises(SpecError, match="hub must be ms or hf, not 'github'"):
        Emotion2vec(hub="github")  # type: ignore[arg-type]


class Hub:
    """A hub that returns a directory or raises, and records the requests."""

    def __init__(self, here: Any = None, there: Any = None) -> None:
        self.here, self.there = here, there
        self.asked: list[Any] = []

    def __call__(self, name: Any, revision: Any = None, local_files_only: bool = False) -> Any:
        self.asked.append((name, revision, local_files_only))
        result = self.here if local_files_only else self.there
        if result is None:
            raise OSError("no route\nto anywhere.")
        return str(result)

    def as_hub(self) -> Any:
        return self, (OSError,)


def test_size_maps_to_a_name_on_each_hub(checkpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(here=checkpoint)
    monkeypatch.setattr(module, "_modelscope_downloader", hub.as_hub)
    monkeypatch.setattr(module, "_huggingface_downloader", hub.as_hub)
    Emotion2vec()
    Emotion2vec("base", hub="hf")
    assert hub.asked == [
        ("iic/emotion2vec_plus_large", "master", True),
        ("emotion2vec/emotion2vec_plus_base", None, True),
    ]


def test_incomplete_download_is_repeated(checkpoint: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub = Hub(here=tmp_path, there=checkpoint)
    monkeypatch.setattr(module, "_modelscope_downloader", hub.as_hub)
    Emotion2vec("mine/emotion2vec", revision="v2")
    assert [local for *_, local in hub.asked] == [True, False]


def test_unreachable_hub_error_suggests_a_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_modelscope_downloader", Hub().as_hub)
    with pytest.raises(SpecError) as error:
        Emotion2vec()
    result = one_line(error)
    assert "iic/emotion2vec_plus_large is not in the local cache" in result
    assert result.endswith(f"no route to anywhere. Set a directory instead: -M model=DIRECTORY. {WITHOUT_WEIGHTS}")


@pytest.mark.parametrize("hub", ["ms", "hf"])
def test_both_hubs_work_with_local_files(hub: str) -> None:
    download, trouble = module._modelscope_downloader() if hub == "ms" else module._huggingface_downloader()
    with pytest.raises(trouble):
        download("acme/such-a-model", revision=None, local_files_only=True)


def test_missing_package_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "funasr", None)
    with pytest.raises(MissingExtra, match=r"pip install 'auricle\[emotion2vec\]'"):
        load_model("emotion2vec")


# --- from the command line -------------------------------------------------------------


def test_missing_extra_gives_a_one_line_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "funasr", None)
    monkeypatch.setattr(sys, "argv", ["auricle", "ask", "-m", "emotion2vec", str(tmp_path / "a")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    result = capsys.readouterr()
    assert result.out == ""
    assert "pip install 'auricle[emotion2vec]'" in result.err
    assert len(result.err.splitlines()) == 1


def test_audio_formats_run_from_the_command_line(
    checkpoint: Any, manifest: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kinds = {"mono": (16_000, 1), "stereo": (16_000, 2), "high": (48_000, 1), "low": (8_000, 2)}
    rows = []
    for name, (rate, channels) in kinds.items():
        written(tmp_path / f"{name}.wav", spoken(), rate, channels)
        rows.append({"id": name, "audio": f"{name}.wav", "label": "happy"})
    words = ("--as", "classify", "-m", "emotion2vec", "-M", f"model={checkpoint}", "--infer-only")
    done = CliRunner().invoke(cli, ["run", str(manifest(rows)), *words, "-o", str(tmp_path / "run")])
    assert (done.exit_code, done.stdout, capfd.readouterr().out) == (0, "", ""), done.stderr
    journal = (tmp_path / "run" / "outputs.jsonl").read_text(encoding="utf-8")
    remaining = {line["id"]: line["outputs"][0] for line in map(json.loads, journal.splitlines())}
    assert {tuple(item["values"]) for item in remaining.values()} == {tuple(LABELS)}
    mono = list(remaining["mono"]["values"].values())
    for name in ("stereo", "high"):
        assert list(remaining[name]["values"].values()) == pytest.approx(mono, abs=1e-3)


def test_ask_prints_only_the_prediction(checkpoint: Any, model: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", spoken())
    words = ["ask", "-m", "emotion2vec", "-M", f"model={checkpoint}", str(path)]
    result = json.loads(CliRunner().invoke(cli, words).stdout)
    assert result["values"] == model.predict([about(str(path))])[0].values
    assert result["scale"] == "probability"


def test_missing_weights_give_a_one_line_error(auricle: Any, tone: Any, tmp_path: Path) -> None:
    done = auricle("ask", "-m", "emotion2vec", "-M", f"model={tmp_path}", tone("a.wav"))
    assert done.returncode == 2
    assert "missing config.yaml, model.pt, tokens.txt" in done.stderr
    assert len(done.stderr.splitlines()) == 1
