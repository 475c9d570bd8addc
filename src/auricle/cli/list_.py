"""`auricle list`: list the names of tasks, models, metrics and other parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.metric_description import describe_name, format_description
from auricle.cli.output import print_result
from auricle.core.arguments import describe_arguments
from auricle.core.features import find_parts
from auricle.core.registry import Listing, Registry, import_object
from auricle.media.perturbations.base import format_value

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from auricle.engine.task_options import Provenance
    from auricle.media.perturbations.base import ConditionStep

MAX_LANGUAGES = 3
"""More languages are counted instead of listed."""
REGISTRIES = {
    "tasks": "auricle.engine.catalogue:TASKS",
    "task-kinds": "auricle.engine.catalogue:TASK_KINDS",
    "models": "auricle.models.catalogue:MODELS",
    "metrics": "auricle.metrics.catalogue:METRICS",
    "profiles": "auricle.text:PROFILES",
    "inferencers": "auricle.engine.catalogue:INFERENCERS",
    "retrievers": "auricle.data.prompts.catalogue:RETRIEVERS",
    "encoders": "auricle.data.prompts.catalogue:ENCODERS",
    "trackers": "auricle.engine.trackers.base:TRACKERS",
    "report-sections": "auricle.report.run_html:SECTIONS",
    "figures": "auricle.report.figures:FIGURES",
    "record-observers": "auricle.scoring.record_observers:OBSERVERS",
    **{kind: registry.path for kind, registry in find_parts("registries").items()},
}
"""What packages can add, by the plural of its kind, and where its registry is."""
PERTURBATIONS = "perturbations"


def _complete_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    from auricle.cli.candidates import complete_name

    source = REGISTRIES.get(ctx.params["kind"])
    return complete_name(source, incomplete) if source else []


@click.command(name="list")
@click.argument("kind", type=click.Choice(sorted([*REGISTRIES, PERTURBATIONS])))
@click.argument("name", required=False, shell_complete=_complete_name)
@opt.json_option
def list_(kind: str, name: str | None, as_json: bool) -> None:
    """List the names that options and task files accept.

    A name that is not built in is followed by the package that defines it. Perturbations are listed with their
    arguments; the level is the argument with which figures are drawn. `auricle list metrics NAME` prints the reference
    of a metric: its formula, range, edge cases and what it is tested against.
    """
    if name is not None:
        document = describe_name(kind, name)
        print_result(as_json, document, format_description(document))
        return
    if kind == PERTURBATIONS:
        from auricle.engine.conditions import list_step_classes

        classes = list_step_classes()
        documents = {name: _describe_step(step_class) for name, step_class in classes.items()}
        print_result(as_json, documents, _format_steps(documents))
        return
    listings = load_registry(kind).listings()
    facts = _list_provenance() if kind == "tasks" else {}
    width = max((len(listing.name) for listing in listings), default=0)
    documents = {listing.name: _to_dict(listing, facts.get(listing.name)) for listing in listings}
    print_result(as_json, documents, (_format_line(listing, width, facts.get(listing.name)) for listing in listings))


def load_registry(kind: str) -> Registry[Any]:
    """Return the registry of a kind, such as `models`."""
    registry: Registry[Any] = import_object(REGISTRIES[kind])
    return registry


def _describe_step(step_class: type[ConditionStep]) -> dict[str, Any]:
    """Return summary, level and arguments of a perturbation."""
    return {
        "summary": step_class.summary,
        "level": step_class.level_name,
        "unit": step_class.unit,
        "harder_if": step_class.harder_if if step_class.level_name else "",
        "arguments": {
            argument.name: {
                "required": argument.is_required,
                "default": argument.default,
                "choices": list(argument.choices),
                "help": argument.help,
            }
            for argument in describe_arguments(step_class)
        },
    }


def _format_steps(documents: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Format a line for each perturbation and an indented one for each of its arguments."""
    width = max(len(name) for name in documents)
    for name, step in documents.items():
        level = f" (level: {step['level']}{step['unit'] and ', ' + step['unit']})" if step["level"] else ""
        yield f"{name:<{width}}  {step['summary']}{level}"
        for argument, facts in step["arguments"].items():
            texts = [facts["help"], _format_choices(facts), _format_default(facts)]
            yield f"  {argument:<{width - 2}}  {' '.join(filter(None, texts))}"


def _format_choices(facts: Mapping[str, Any]) -> str:
    return f"One of {', '.join(facts['choices'])}." if facts["choices"] else ""


def _format_default(facts: Mapping[str, Any]) -> str:
    if facts["required"]:
        return "[required]"
    return "" if facts["default"] in (None, "") else f"[default: {format_value(facts['default'])}]"


def _list_provenance() -> dict[str, Provenance]:
    """Return what tasks state about their data."""
    from auricle.engine.published import load_published

    return {name: entry.provenance for name, entry in load_published().items()}


def _format_line(listing: Listing, width: int, provenance: Provenance | None) -> str:
    """Format a name, its summary and, in parentheses, facts about its data and the package that defines it."""
    facts = "; ".join(filter(None, [*_list_facts(provenance), listing.package and f"from {listing.package}"]))
    return f"{listing.name:<{width}}  {listing.summary}" + (f" ({facts})" if facts else "")


def _list_facts(provenance: Provenance | None) -> list[str]:
    """List languages, licence and version."""
    if provenance is None:
        return []
    languages = provenance.languages
    named = ", ".join(languages) if len(languages) <= MAX_LANGUAGES else f"{len(languages)} languages"
    return [named, provenance.licence, f"version {provenance.version}" if provenance.version != 1 else ""]


def _to_dict(listing: Listing, provenance: Provenance | None) -> dict[str, Any]:
    facts = asdict(provenance) if provenance else {}
    facts.pop("description", None)
    return {"summary": listing.summary, **({"package": listing.package} if listing.package else {}), **facts}
