"""`auricle doctor`: check the installation, the data of a task and a model."""

from __future__ import annotations

import platform
import re
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import load_command_registry
from auricle.cli import options as opt
from auricle.cli.list_ import REGISTRIES, load_registry
from auricle.cli.output import echo, format_check, print_checks
from auricle.core.audio_limit import limit_audio, max_audio_seconds
from auricle.core.entry_points import find_package_features
from auricle.core.errors import AuricleError, ExitStatus, SpecError
from auricle.core.registry import Registry
from auricle.core.types import Generation, Output, Prediction

if TYPE_CHECKING:
    from auricle import Spec, api

DEVELOPMENT_EXTRAS = (
    *("test", "oracles", "realtime-test", "serve-test", "cloud-test", "browser", "dev", "docs", "packaging"),
)
EXTRA_REQUIREMENT = re.compile(r"""(?P<package>[\w.-]+).*;.*extra == ["'](?P<extra>[\w-]+)["']""")
"""A requirement of an extra in the metadata of the package: `aiohttp>=3.11; extra == "api"`."""
CORE_PACKAGES = ("numpy", "soundfile", "soxr", "av", "rapidfuzz", "whisper-normalizer")
MAX_DIFFERENCES_SHOWN = 5
MAX_PERMUTED = 8
"""Samples of the batch that is sent twice, in two orders."""
TOLERANCE = 1e-4
"""Numbers of a single request and of a batch that differ by less are equal up to rounding."""

CheckResult = tuple[bool | None, str]
"""Passed, failed or neither (None), and a description."""
EXTRA_CHECKS: Registry[Callable[[], Iterator[CheckResult]]] = Registry(
    "extra check", {}, expects=(Callable, "a function")
)
"""Checks of what an extra is for, by its name; made where its packages are installed."""


@click.command(cls=opt.GroupedCommand)
@opt.task_argument("task", required=False)
@opt.option_group(
    "Model",
    opt.text("-m --model", "Load this model and send it one request, a one-second tone. [default: check no model]"),
    *opt.model_options,
    opt.flag(
        "--parity", "Check that the model gives the same outputs for single requests and for a batch. Requires -m."
    ),
)
@opt.option_group(
    "Data",
    *opt.task_options,
    opt.count("-n --number sample_count N", "Number of samples to check.", default=20),
    opt.max_audio_option,
)
@opt.option_group("Output", opt.json_option)
def doctor(task: str | None, model: str | None, sample_count: int, parity: bool, as_json: bool, **options: Any) -> None:
    """Check a task's data, a model and what they need installed; without them, the whole installation."""
    if parity and not model:
        raise SpecError("--parity checks a model, but none is given. Add -m MODEL.")
    results: list[CheckResult] = []
    with limit_audio(options["max_audio"]):
        for passed, line in _run_checks(task, model, sample_count, parity, options):
            results.append((passed, line))
            if not as_json:
                echo(format_check(passed, line))
    is_healthy = all(passed is not False for passed, _ in results)
    if as_json:
        print_checks(results)
    sys.exit(ExitStatus.OK if is_healthy else ExitStatus.ERROR)


def _run_checks(
    task: str | None, model: str | None, sample_count: int, parity: bool, options: Mapping[str, Any]
) -> Iterator[CheckResult]:
    from auricle import Spec

    spec = opt.build_spec(task, model, options).resolved() if task else None
    if spec:
        from auricle.engine.dry_run import check_task_data

        yield from check_task_data(spec, sample_count)
    needed: list[str] | None = [] if task else None
    if model:
        model_args = opt.parse_model_args(options, model)
        needed = list_needed_extras(model, model_args)
        yield from check_model(model, model_args, spec, sample_count)
        if parity:
            yield from check_parity(spec or Spec(task="demo", model=model, model_args=model_args), sample_count)
    yield from check_installation(needed)
    yield from check_packages()


def list_needed_extras(model: str, model_args: Mapping[str, Any]) -> list[str]:
    """Return the extra that a model needs. What a task lacks is found by the check of its data."""
    from auricle import Spec
    from auricle.engine.factory import resolve_model

    try:
        extra = resolve_model(Spec(task="ask", model=model, model_args=dict(model_args))).listing.extra
    except AuricleError:  # which the check of the model reports
        return []
    return [extra] if extra else []


def check_installation(needed: Collection[str] | None = None) -> Iterator[CheckResult]:
    """List the versions of Auricle, Python and the packages of each extra, or only of those that are needed."""
    yield (True, f"auricle {version('auricle')}, Python {platform.python_version()} on {sys.platform}")
    yield True, ", ".join(f"{name} {version(name)}" for name in CORE_PACKAGES)
    for extra, packages in list_extras().items():
        if needed is not None and extra not in needed:
            continue
        versions = {name: _installed_version(name) for name in packages}
        installed = [f"{name} {number}" for name, number in versions.items() if number]
        incomplete = len(installed) < len(packages)
        hint = f"  (pip install 'auricle[{extra}]')" if incomplete else ""
        yield None if incomplete else True, f"extra {extra}: {', '.join(installed) or 'not installed'}{hint}"
        if extra in EXTRA_CHECKS and not incomplete:
            yield from EXTRA_CHECKS.get(extra)()


def check_packages() -> Iterator[CheckResult]:
    """Check that what other packages add can be loaded, and list it."""
    from auricle.engine.catalogue import TASK_KINDS

    for feature in find_package_features().values():
        if isinstance(feature, SpecError):
            yield False, str(feature)
    names: dict[str, list[str]] = {}
    registries = [*map(load_registry, REGISTRIES), load_command_registry()]
    registries.remove(TASK_KINDS)  # which are tasks, too
    for registry in registries:
        for name in registry.package_names():
            try:
                registry.get(name)
            except AuricleError as error:
                yield False, str(error)
            else:
                names.setdefault(registry.package(name), []).append(f"{registry.kind} {name}")
    for package, parts in names.items():
        yield True, f"package {package}: {', '.join(parts)}"


def list_extras() -> dict[str, list[str]]:
    """Return the packages of each extra for users, as declared by the installed package."""
    extras: dict[str, list[str]] = {}
    for match in filter(None, map(EXTRA_REQUIREMENT.match, requires("auricle") or ())):
        if match["extra"] not in DEVELOPMENT_EXTRAS:
            extras.setdefault(match["extra"], []).append(match["package"])
    return extras


def _installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def check_model(
    model: str, model_args: Mapping[str, Any], spec: Spec | None, sample_count: int = MAX_PERMUTED
) -> Iterator[CheckResult]:
    """Check that a model can be loaded, suits the task and answers a request."""
    from auricle import Spec, api
    from auricle.engine.factory import resolve_model
    from auricle.engine.inferencers import select_inferencer
    from auricle.models import abilities

    try:
        can = abilities(resolve_model(Spec(task="ask", model=model, model_args=dict(model_args))))
        yield bool(can), f"{model} can {', '.join(can) or 'do nothing'}"
        if spec:
            task = api.build_task(spec)
            inferencer = select_inferencer(task.inferencer, can, task.name, model)
            yield True, f"{task.name} uses the inferencer {type(inferencer).__name__}"
        with api.load_model(model, **model_args) as loaded:
            yield True, f"{model} loads"
            yield from _check_tone_response(loaded)
            if spec:
                yield from check_order(loaded, spec, sample_count)
    except AuricleError as error:
        yield False, str(error)


def _check_tone_response(loaded: api.LoadedModel) -> Iterator[CheckResult]:
    """Send one second of a quiet tone; any output passes."""
    import numpy as np

    tone = 0.1 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    try:
        output = loaded.ask(tone.astype(np.float32), rate=16_000)
    except Exception as error:  # noqa: BLE001 - a user's model may raise anything
        yield False, f"the request with a one-second tone raised {type(error).__name__}: {error}"
    else:
        yield True, f"the request with a one-second tone returned {output}"


def check_order(loaded: api.LoadedModel, spec: Spec, sample_count: int) -> Iterator[CheckResult]:
    """Send a batch of samples in two orders: a model that returns its outputs in another order mixes up the samples."""
    from auricle.core.types import Sample
    from auricle.engine.factory import Evaluation
    from auricle.engine.inferencers.base import preview_requests
    from auricle.models import BatchModel

    size = getattr(loaded.model, "batch_size", 1)
    count = min(sample_count, MAX_PERMUTED, size if isinstance(size, int) else MAX_PERMUTED)
    if not isinstance(loaded.model, BatchModel) or count < 2:
        return
    evaluation = Evaluation.prepare(spec)
    samples = islice((row for row in evaluation.task.samples if isinstance(row, Sample)), count)
    requests = [loaded.run(preview_requests(evaluation.inferencer, sample)) for sample in samples]
    batch = [own[0] for own in requests if own]
    answer = getattr(loaded.model, evaluation.inferencer.needs)  # not `send_all`, which forms batches by length
    try:
        first, second = list(answer(batch)), list(answer(batch[::-1]))[::-1]
        moved = [place for place, pair in enumerate(zip(first, second, strict=True)) if not _is_equal(*pair)]
    except Exception:  # noqa: BLE001 - which samples fail is not a matter of their order
        return
    others = [second[place] for place in moved]
    is_permuted = moved and all(any(_is_equal(first[place], other) for other in others) for place in moved)
    if is_permuted:
        yield (
            False,
            (
                f"{spec.model} returns outputs in another order than its batch: with the batch of {len(batch)} samples "
                f"reversed, {len(moved)} of them got the output of another one. Return them in the order of requests"
            ),
        )
    elif not moved:
        yield True, f"a batch of {len(batch)} samples gets the same outputs in reverse order"


def _is_equal(one: Any, other: Any) -> bool:
    return not any(_compare_outputs((one,), (other,)))


def check_parity(spec: Spec, sample_count: int) -> Iterator[tuple[bool, str]]:
    """Compare the outputs of single requests with those of one batch; unmasked padding makes them differ."""
    single = _collect_outputs(spec, sample_count, batch_size=1)
    batched = _collect_outputs(spec, sample_count, batch_size=sample_count)
    ids = [sample_id for sample_id in single if sample_id in batched]
    if not ids:
        yield False, f"parity: {spec.model} answered none of {sample_count} samples both alone and in a batch"
        return
    differences = [(name, text) for name in ids for text in _compare_outputs(single[name], batched[name])]
    differing = len({name for name, _ in differences})
    yield (not differences, f"parity: {len(ids) - differing} of {len(ids)} outputs are the same in a batch")
    for name, text in differences[:MAX_DIFFERENCES_SHOWN]:
        yield False, f"  {name}: {text}"


def _collect_outputs(spec: Spec, sample_count: int, batch_size: int) -> dict[str, tuple[Output, ...]]:
    from auricle import Settings, api
    from auricle.runs.run_directory import Run

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(batch_size=batch_size, limit=sample_count, max_audio=max_audio_seconds())
        api.evaluate(spec, folder, settings=settings, infer_only=True)
        records = sorted(Run.load(Path(folder)).records(), key=lambda record: record.row)
        return {record.sample.id: record.outputs for record in records if not record.error}


def _compare_outputs(single_outputs: tuple[Output, ...], batched_outputs: tuple[Output, ...]) -> Iterator[str]:
    for single, batched in zip(single_outputs, batched_outputs, strict=True):
        if isinstance(single, Generation) and isinstance(batched, Generation):
            if single.text != batched.text:
                yield f"alone {single.text!r}, in a batch {batched.text!r}"
        elif (difference := _max_difference(single, batched)) > TOLERANCE:
            yield f"numbers differ by up to {difference:.2g}"


def _max_difference(single: Output, batched: Output) -> float:
    """Return the largest difference between the numbers of two outputs; infinite if they have other numbers."""
    numbers, others = _list_numbers(single), _list_numbers(batched)
    if type(single) is not type(batched) or numbers.keys() != others.keys():
        return float("inf")
    return max((abs(number - others[name]) for name, number in numbers.items()), default=0.0)


def _list_numbers(output: Output) -> dict[Any, float]:
    return dict(output.values if isinstance(output, Prediction) else enumerate(getattr(output, "logprobs", ())))
