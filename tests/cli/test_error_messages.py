"""Mistakes of the user: exit code 2 and one line that states the mistake and what to do."""

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.cli_types import RunAuricle, WriteManifest, WriteTone
from tests.support.extras import require_extra

EXTRAS = {
    "whisper": ("torch", "transformers"),
    "ctc": ("torch", "transformers"),
    "audio-chat": ("torch", "transformers"),
    "vision-chat": ("torch", "transformers"),
    "causal": ("torch", "transformers"),
    "faster-whisper": ("faster_whisper", "faster-whisper"),
    "vosk": ("vosk", "vosk"),
    "moonshine": ("moonshine_voice", "demo"),
    "pocketsphinx": ("pocketsphinx", "demo"),
    "vllm": ("vllm", "vllm"),
}
"""By model: the package that the test hides, and the extra that contains it."""
BUNDLED_WEIGHTS = ("moonshine", "pocketsphinx")

HidePackage = Callable[[str], dict[str, str]]


@pytest.fixture
def environment_without(tmp_path: Path) -> HidePackage:
    """Return an environment in which a package cannot be imported."""

    def hide(package: str) -> dict[str, str]:
        folder = tmp_path / "hidden"
        folder.mkdir()
        (folder / f"{package}.py").write_text("raise ImportError('hidden')\n")
        return {**os.environ, "PYTHONPATH": str(folder)}

    return hide


@pytest.fixture
def speech(manifest: WriteManifest, tone: WriteTone) -> Path:
    tone("a.wav")
    return manifest([{"id": "1", "audio": "a.wav", "text": "hello"}])


def assert_one_line_error(done: CompletedProcess[str], *parts: str) -> None:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("auricle: ")
    assert done.stderr.count("\n") == 1, done.stderr
    for part in parts:
        assert part in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["run", "demoo", "-m", "echo"], "Did you mean demo"),
        (["run", "demo", "-m", "eco"], "Did you mean echo"),
        (["run", "demo"], "No model given. Add -m MODEL; see `auricle list models`."),
        (["run", "-m", "echo"], "No task given. Use `auricle run TASK -m MODEL`"),
        (["run", "gone.jsonl", "--as", "asr", "-m", "echo"], "gone.jsonl"),
        (["run", "gone.jsonl", "-m", "echo"], "--as asr|chat|classify|conversation|detect|emotion|masked-words|mcq"),
        (["run", "demo", "--as", "asr", "-m", "echo"], "--as asr"),
        (["run", "demo", "-m", "echo", "-M", "wrng=1"], "'wrng'"),
        (["run", "demo", "-m", "echo", "-M", "wrong"], "KEY=VALUE"),
        (["run", "demo", "-m", "fake-reward"], "generate"),
        (["run", "demo", "-m", "gone.py:Model"], "gone.py"),
        (["run", "demo", "-m", "json:nothing"], "'nothing'"),
        (["run", "demo", "-m", "no.such.module:x"], "no.such.module"),
        (["run", "demo", "-m", "echo", "--profile", "whispr-en"], "whisper-en"),
        (["run", "demo", "-m", "echo", "-J", "a=1"], "Add --judge MODEL."),
        (["run", "gone.yaml", "-m", "echo"], "gone.yaml"),
        (["perf", "demo"], "No model given. Add -m MODEL; see `auricle list models`."),
        (["score", "."], "spec.json"),
        (["ask", "-m", "echo"], "Nothing to send. Give an audio file, --text, --image or --video."),
        (["ask", "-m", "moonshine", "gone.wav"], "gone.wav"),
    ],
)
def test_mistake_is_reported_in_one_line(auricle: RunAuricle, words: list[str], part: str) -> None:
    assert_one_line_error(auricle(*words), part)


def test_invalid_yaml_is_named(auricle: RunAuricle, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("kind: [asr\n")
    assert_one_line_error(auricle("run", "bad.yaml", "-m", "echo"), "bad.yaml is not valid YAML")


def test_folder_of_another_model_is_refused(
    auricle: RunAuricle, quiz: Path, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "fake-api", "-o", "run")
    assert_one_line_error(done, "'echo'", "'fake-api'")


def test_error_in_a_constructor_names_file_and_line(auricle: RunAuricle, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Model:\n    def __init__(self):\n        raise RuntimeError('no weights')\n"
        "    def generate(self, batch):\n        return []\n"
    )
    done = auricle("run", "demo", "-m", "mine.py:Model")
    assert_one_line_error(done, "mine.py:Model raised RuntimeError: no weights (mine.py:3)")


def test_mistyped_argument_does_not_block_the_folder(auricle: RunAuricle, quiz: Path) -> None:
    words = ("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    assert auricle(*words, "-M", "wrng=1").returncode == 2
    assert auricle(*words, "-M", "wrong=1").returncode == 0


def test_folder_without_write_permission_is_one_line(auricle: RunAuricle, quiz: Path) -> None:
    assert_one_line_error(auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "/proc/nowhere"))


@pytest.mark.slow
@pytest.mark.parametrize("model", EXTRAS)
def test_missing_package_is_reported_with_the_install_command(
    auricle: RunAuricle, speech: Path, environment_without: HidePackage, model: str
) -> None:
    package, extra = EXTRAS[model]
    weights = () if model in BUNDLED_WEIGHTS else ("-M", "model=some/weights")
    words = ("run", speech, "--as", "asr", "-m", model, *weights, "-o", "run")
    done = auricle(*words, env=environment_without(package))
    assert_one_line_error(done, model, f"pip install 'auricle[{extra}]'")


@pytest.mark.slow
def test_missing_ray_is_reported_with_the_install_command(
    auricle: RunAuricle, speech: Path, environment_without: HidePackage
) -> None:
    words = ("run", speech, "--as", "asr", "-m", "echo", "--backend", "ray", "-o", "run")
    done = auricle(*words, env=environment_without("ray"))
    assert_one_line_error(done, "--backend ray", "pip install 'auricle[ray]'")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["whisper", "ctc", "audio-chat", "causal", "faster-whisper", "vosk"])
def test_missing_weights_are_reported_with_the_argument_that_names_them(
    auricle: RunAuricle, speech: Path, model: str
) -> None:
    require_extra(model if model in ("faster-whisper", "vosk") else "transformers")
    done = auricle("run", speech, "--as", "asr", "-m", model, "-M", "model=/no/weights")
    assert_one_line_error(done, "-M model=")
    assert done.stderr.count("/no/weights") == 1


@pytest.mark.parametrize("model", ["whisper", "ctc", "audio-chat", "causal"])
@pytest.mark.slow
def test_invalid_dtype_is_reported_with_the_valid_ones(auricle: RunAuricle, speech: Path, model: str) -> None:
    words = ("run", speech, "--as", "asr", "-m", model, "-M", "model=/no/weights", "-M", "dtype=float8")
    assert_one_line_error(auricle(*words), model, "'float8'", "auto, float32, bfloat16 or float16")


@pytest.mark.parametrize("model", ["ctc", "whisper", "moonshine", "vosk", "faster-whisper"])
def test_recogniser_cannot_be_used_for_likelihoods(
    auricle: RunAuricle, manifest: WriteManifest, tmp_path: Path, model: str
) -> None:
    data = manifest([{"id": "1", "question": "?", "choices": ["a", "b"], "answer": "a"}])
    weights = () if model in BUNDLED_WEIGHTS else ("-M", "model=/no/weights")
    done = auricle("run", data, "--as", "mcq", "-T", "inferencer=choose", "-m", model, *weights, "-o", "run")
    assert_one_line_error(done, "loglikelihood", model, "completions, audio-chat, vision-chat, causal")
    assert not (tmp_path / "run").exists()
