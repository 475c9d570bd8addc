"""Write the reference of the Python API: a section per public name, which mkdocstrings fills from its docstring."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

FOLDER = "reference/api"
TOP_LEVEL = {
    "evaluate": (
        "Evaluate and compare",
        "Run evaluations, score them again, and read their numbers.",
        (
            "evaluate",
            "evaluate_shards",
            "evaluate_suite",
            "merge_shards",
            "score",
            "summary",
            "numbers",
            "samples",
            "compare",
            "gate",
            "plan",
            "load_model",
            *("measure", "wer", "cer"),
        ),
    ),
    "specs": (
        "Specs and results",
        "What to evaluate, how to execute it, and what comes back.",
        ("Spec", "Settings", "RunConfig", "Suite", "SuitePart", "RunResult", "Number", "Observer"),
    ),
    "data": (
        "Samples, requests and outputs",
        "What a task contains, what is sent to a model, and what it returns.",
        (
            *("Sample", "Turn", "Segment", "Audio", "Image", "Video"),
            *("Generate", "LogLikelihood", "Predict", "Generation", "Likelihood", "Prediction"),
        ),
    ),
    "extend": (
        "Models, metrics and tasks",
        "Base classes and decorators for parts of your own.",
        ("AsyncModel", "BatchModel", "SessionModel", "model", "Metric", "metric", "Task", "task", "jsonl", "task_file"),
    ),
    "errors": (
        "Errors",
        "Errors to catch or to raise.",
        ("AuricleError", "SpecError", "SampleError", "Transient", "Unreadable"),
    ),
}
"""Pages of the names of `auricle`: title, introduction and names."""
MODULES = {
    "auricle.metrics": "What a metric of your own is made of; see [add a metric](../../add-a-metric.md).",
    "auricle.models": "What a model of your own is made of; see [your own model](../../add-a-model.md).",
    "auricle.tasks": "What a task of your own is made of; see [your own data](../../add-a-dataset.md).",
    "auricle.testing": "Tests of your own; see [tests of models](../../testing.md).",
}
"""Other public modules, and their introductions."""


def write_pages() -> dict[str, str]:
    """Return the pages of the reference by their place in the site.

    Raises:
        ValueError: A name of `auricle` is on no page.
    """
    listed = {name for _, _, names in TOP_LEVEL.values() for name in names}
    if missing := set(import_module("auricle").__all__) - listed:
        raise ValueError(f"Public names on no page: {', '.join(sorted(missing))}. Add them to TOP_LEVEL.")
    pages = {f"{FOLDER}/index.md": _write_index()}
    for page, (title, introduction, names) in TOP_LEVEL.items():
        pages[f"{FOLDER}/{page}.md"] = _write_page(title, introduction, [f"auricle.{name}" for name in names])
    for module, introduction in MODULES.items():
        paths = [f"{module}.{name}" for name in own_names(module)]
        pages[f"{FOLDER}/{module}.md"] = _write_page(module, introduction + _link_others(module), paths)
    return pages


def own_names(module: str) -> list[str]:
    """List the public names of a module that `auricle` does not have."""
    top_level = set(import_module("auricle").__all__)
    return [name for name in import_module(module).__all__ if name not in top_level]


def _link_others(module: str) -> str:
    own = own_names(module)
    others = [name for name in import_module(module).__all__ if name not in own]
    if not others:
        return ""
    links = ", ".join(_link_names(find_page(name), "auricle", [name]) for name in others)
    return f" It also contains {links}."


def find_page(name: str) -> str:
    """Return the page of a name of `auricle`."""
    return next(page for page, (_, _, names) in TOP_LEVEL.items() if name in names)


def _write_page(title: str, introduction: str, paths: list[str]) -> str:
    sections = [f"::: {path}\n    options:\n      heading_level: 2" for path in paths]
    return "\n\n".join([f"# {title}", introduction, *sections]) + "\n"


def _write_index() -> str:
    rows = [
        f"| [{title}]({page}.md) | {_link_names(page, 'auricle', names)} |"
        for page, (title, _, names) in TOP_LEVEL.items()
    ]
    for module in MODULES:
        links = _link_names(module, module, own_names(module)) or "names of `auricle`"
        rows.append(f"| [`{module}`]({module}.md) | {links} |")
    introduction = "Every public name, with its parameters and an example. "
    introduction += "[Public API](../../api.md) has an overview, and what is promised."
    return "\n".join(["# Python API", "", introduction, "", "| page | names |", "|---|---|", *rows, ""])


def _link_names(page: str, module: str, names: Iterable[str]) -> str:
    return ", ".join(f"[`{name}`]({page}.md#{module}.{name})" for name in names)
