"""What cannot be run as it stands: exit code 2, one line, and in it what to do."""

import os
from pathlib import Path
from typing import Any

import pytest

EXTRAS = {
    "whisper": ("torch", "transformers"),
    "ctc": ("torch", "transformers"),
    "audio-chat": ("torch", "transformers"),
    "causal": ("torch", "transformers"),
    "faster-whisper": ("faster_whisper", "faster-whisper"),
    "vosk": ("vosk", "vosk"),
    "moonshine": ("moonshine_voice", "demo"),
    "pocketsphinx": ("pocketsphinx", "demo"),
    "vllm": ("vllm", "vllm"),
}
"""By model: the package that is hidden from it, and the extra that has it."""
BARE = ("moonshine", "pocketsphinx")
"""They bring their weights."""


@pytest.fixture
def without(tmp_path: Path) -> Any:
    """The environment of a command that does not find a package."""

    def hide(package: Any) -> Any:
        folder = tmp_path / "hidden"
        folder.mkdir()
        (folder / f"{package}.py").write_text("raise ImportError('not here')\n")
        return {**os.environ, "PYTHONPATH": str(folder)}

    return hide


@pytest.fixture
def speech(manifest: Any, tone: Any) -> Any:
    tone("a.wav")
    return manifest([{"id": "1", "audio": "a.wav", "text": "hello"}])


def refused(done: Any, *words: Any) -> None:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("auricle: ")
    assert done.stderr.count("\n") == 1
    for each in words:
        assert each in done.stderr


@pytest.mark.parametrize("model", EXTRAS)
def test_a_missing_package_is_told_with_the_command_that_installs_it(
    auricle: Any, speech: Any, without: Any, model: Any
) -> None:
    package, extra = EXTRAS[model]
    more = () if model in BARE else ("-M", "model=some/weights")
    done = auricle("run", speech, "--as", "asr", "-m", model, *more, "-o", "run", env=without(package))
    refused(done, f"The model {model} needs", f"pip install 'auricle[{extra}]'")


def test_a_missing_ray_is_told_with_the_command_that_installs_it(auricle: Any, speech: Any, without: Any) -> None:
    words = ["run", speech, "--as", "asr", "-m", "echo", "--backend", "ray", "-o", "run"]
    refused(auricle(*words, env=without("ray")), "--backend ray", "pip install 'auricle[ray]'")


@pytest.mark.parametrize("model", ["whisper", "ctc", "audio-chat", "causal"])
def test_weights_that_are_not_there_are_told_with_how_to_name_them(auricle: Any, speech: Any, model: str) -> None:
    done = auricle("run", speech, "--as", "asr", "-m", model, "-M", "model=/no/weights")
    refused(done, "There is no directory /no/weights", "give -M model=DIRECTORY")


@pytest.mark.parametrize("model", ["faster-whisper", "vosk"])
def test_a_model_folder_that_is_not_there_is_told_with_how_to_name_it(auricle: Any, speech: Any, model: str) -> None:
    pytest.importorskip(model.replace("-", "_"), reason="an optional extra")
    done = auricle("run", speech, "--as", "asr", "-m", model, "-M", "model=/no/weights")
    refused(done, f"{model}: there is no folder /no/weights", "-M model=FOLDER")
    assert done.stderr.count("/no/weights") == 1


@pytest.mark.parametrize("model", ["whisper", "ctc", "audio-chat", "causal"])
def test_a_wrong_dtype_is_told_with_those_there_are(auricle: Any, speech: Any, model: str) -> None:
    arguments = ("-M", "model=/no/weights", "-M", "dtype=float8")
    done = auricle("run", speech, "--as", "asr", "-m", model, *arguments)
    refused(done, f"{model}: dtype should be auto, float32, bfloat16, float16, not 'float8'")


@pytest.mark.parametrize("model", ["ctc", "whisper", "moonshine", "vosk", "faster-whisper"])
def test_a_recogniser_is_not_asked_for_likelihoods(auricle: Any, manifest: Any, tmp_path: Path, model: str) -> None:
    quiz = manifest([{"id": "1", "question": "?", "choices": ["a", "b"], "answer": "a"}])
    more = () if model in BARE else ("-M", "model=/no/weights")
    done = auricle("run", quiz, "--as", "mcq", "-T", "inferencer=choose", "-m", model, *more, "-o", "run")
    refused(done, f"can loglikelihood; {model} can generate.", "causal, audio-chat, vllm")
    assert not (tmp_path / "run").exists()
