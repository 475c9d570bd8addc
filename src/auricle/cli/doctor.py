"""`auricle doctor`: what is installed, readable and possible, before anything is run."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Any

import click

from auricle import api
from auricle.audio import Audio
from auricle.cli.parity import check_parity
from auricle.core.errors import AuricleError, SpecError
from auricle.core.types import RejectedRow, Sample, list_parts
from auricle.engine.factory import resolve_model
from auricle.engine.spec import Spec, parse_arguments, resolve_task
from auricle.models import abilities
from auricle.tasks.inferencers import select_inferencer

EXTRA_PACKAGES = {
    "api": ("aiohttp", "pybase64"),
    "ray": ("ray",),
    "demo": ("moonshine-voice", "pocketsphinx"),
    "faster-whisper": ("faster-whisper",),
    "vosk": ("vosk",),
    "vllm": ("vllm",),
    "bleu": ("sacrebleu",),
    "ifeval": ("langdetect",),
    "parquet": ("pyarrow",),
    "huggingface": ("datasets",),
    "transformers": ("torch", "transformers", "accelerate"),
    "emotion2vec": ("funasr", "torch"),
    "mos": ("speechmos", "onnxruntime"),
    "ui": ("streamlit", "altair", "pandas", "psutil"),
}
CORE_PACKAGES = ("numpy", "soundfile", "soxr", "av", "rapidfuzz", "whisper-normalizer")

CheckResult = tuple[bool | None, str]
"""Good, bad, or neither; and the words."""
STATUS_MARKS = {True: "ok ", False: "NO ", None: "-  "}


def run_checks(
    task: str | None,
    model: str | None,
    model_args: Sequence[str],
    task_args: Sequence[str],
    kind: str | None,
    **options: Any,
) -> int:
    """Print findings; exit code 2 if something that was asked about does not work."""
    number = options["number"]
    findings: list[Iterator[CheckResult]] = [check_installation()]
    spec = None
    if task:
        name, arguments = resolve_task(task, kind, parse_arguments(task_args))
        spec = Spec(task=name, task_args=arguments, model=model or "echo").resolved()
        findings.append(check_task_data(spec, number))
    if model:
        findings.append(check_model(model, parse_arguments(model_args), spec))
    if options["parity"]:
        if not model:
            raise SpecError("--parity compares a model with itself: say which with -m.")
        asked = spec or Spec(task="demo", model=model)
        asked = asked.model_copy(update={"model_args": parse_arguments(model_args)})
        findings.append(check_parity(asked, number))
    healthy = True
    for good, line in (each for group in findings for each in group):
        healthy &= good is not False
        click.echo(f"{STATUS_MARKS[good]} {line}")
    return 0 if healthy else 2


def check_installation() -> Iterator[CheckResult]:
    yield (True, f"auricle {version('auricle')}, Python {platform.python_version()} on {sys.platform}")
    yield True, ", ".join(f"{name} {version(name)}" for name in CORE_PACKAGES)
    for extra, packages in EXTRA_PACKAGES.items():
        found = [f"{name} {known}" for name in packages if (known := _installed_version(name))]
        missing = len(found) < len(packages)
        hint = f"  (pip install 'auricle[{extra}]')" if missing else ""
        yield None if missing else True, f"extra {extra}: {', '.join(found) or 'absent'}{hint}"
        if extra == "api" and not missing:
            yield from check_http()


def check_http() -> Iterator[CheckResult]:
    """Does a question reach a server on this machine and come back? A proxy may be in the way."""
    from auricle.testing.fake_server import FakeServer, Script

    arguments = {"model": "fake", "timeout": 10, "api_key": "none"}
    try:
        with (
            FakeServer(Script(reply="heard")) as server,
            api.load_model("openai", base_url=server.url, **arguments) as model,
        ):
            model.ask(text="hello")
    except (AuricleError, OSError) as error:
        yield False, f"a server on this machine cannot be asked: {error}"
    else:
        yield True, "models behind an API: a server on this machine answers"


def _installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def check_task_data(spec: Spec, sample_count: int) -> Iterator[CheckResult]:
    """Are rows readable, and do their sounds decode?"""
    try:
        task = api.build_task(spec)
        samples = list(islice(task.samples, sample_count))
        notes = task.notes(spec.model, spec.model_args)
    except AuricleError as error:
        yield False, str(error)
        return
    bad = [(each.origin, each.reason) for each in samples if isinstance(each, RejectedRow)]
    good = [each for each in samples if isinstance(each, Sample)]
    seconds = 0.0
    for sample in good:
        for sound in _audio_parts(sample):
            try:
                seconds += len(sound.decode(16_000)) / 16_000
            except AuricleError as error:
                bad.append((sample.origin or sample.id, str(error)))
    yield (bool(good), f"{len(good)} of the first {len(samples)} rows are samples, {seconds:.1f} s of sound")
    for origin, reason in bad:
        yield False, f"{origin}: {reason}"
    for note in notes:
        yield None, note


def _audio_parts(sample: Sample) -> list[Audio]:
    parts = [part for value in sample.inputs.values() for part in list_parts(value)]
    return [part for part in parts if isinstance(part, Audio)]


def check_model(model: str, model_args: dict[str, Any], spec: Spec | None) -> Iterator[CheckResult]:
    """Can the model be loaded, does it fit the task, does it answer?"""
    try:
        model_class = resolve_model(Spec(task="ask", model=model, model_args=model_args))
        can = abilities(model_class)
        yield bool(can), f"{model} can {', '.join(can) or 'do nothing'}"
        if spec:
            task = api.build_task(spec)
            way = select_inferencer(task.inferencer, can, task.name, model)
            yield True, f"{task.name} asks it by {type(way).__name__}"
        with api.load_model(model, **model_args) as loaded:
            yield True, f"{model} loads"
            yield from _check_tone_response(loaded)
    except AuricleError as error:
        yield False, str(error)


def _check_tone_response(loaded: api.LoadedModel) -> Iterator[CheckResult]:
    """A second of quiet tone: any answer will do."""
    import numpy as np

    tone = 0.1 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    try:
        output = loaded.ask(tone.astype(np.float32), rate=16_000)
    except Exception as error:  # noqa: BLE001 - a model is anybody's code; its error is its answer
        yield False, f"asked about a second of tone, it raised {type(error).__name__}: {error}"
    else:
        yield True, f"asked about a second of tone, it answered {output}"
