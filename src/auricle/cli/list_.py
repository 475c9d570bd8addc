"""`auricle list`: list the names of tasks, models, metrics and other parts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import print_result
from auricle.core.registry import Registry

if TYPE_CHECKING:
    from auricle.tasks.options import Provenance

MAX_LANGUAGES = 3
"""More languages are counted instead of listed."""
KINDS = ("tasks", "models", "metrics", "inferencers", "retrievers", "encoders", "profiles")


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS))
@opt.json_option
def list_(kind: str, as_json: bool) -> None:
    """List the names that options and task files accept."""
    if kind == "profiles":
        from auricle.text import PROFILES

        summaries = {name: profile.description for name, profile in PROFILES.items()}
    else:
        registry = _registry(kind)
        summaries = {name: registry.summary(name) for name in registry} | registry.adapters()
    facts = _list_provenance() if kind == "tasks" else {}
    width = max(map(len, summaries))
    lines = (f"{name:<{width}}  {summary}{_format_facts(facts.get(name))}" for name, summary in summaries.items())
    documents = {name: {"summary": summary, **_facts_to_dict(facts.get(name))} for name, summary in summaries.items()}
    print_result(as_json, documents, lines)


def _list_provenance() -> dict[str, Provenance]:
    """Return what tasks state about their data."""
    from auricle.tasks.published import load_published

    return {name: entry.provenance for name, entry in load_published().items()}


def _format_facts(provenance: Provenance | None) -> str:
    """Format languages, licence and version in parentheses."""
    if provenance is None:
        return ""
    languages = provenance.languages
    facts = [", ".join(languages) if len(languages) <= MAX_LANGUAGES else f"{len(languages)} languages"]
    facts += [provenance.licence, f"version {provenance.version}" if provenance.version != 1 else ""]
    text = "; ".join(filter(None, facts))
    return f" ({text})" if text else ""


def _facts_to_dict(provenance: Provenance | None) -> dict[str, Any]:
    facts = asdict(provenance) if provenance else {}
    return {name: value for name, value in facts.items() if name != "description"}


def _registry(kind: str) -> Registry[Any]:
    from auricle.metrics.catalogue import METRICS
    from auricle.models.catalogue import MODELS
    from auricle.prompts.catalogue import ENCODERS, RETRIEVERS
    from auricle.tasks.catalogue import INFERENCERS, TASKS

    registries = (TASKS, MODELS, METRICS, INFERENCERS, RETRIEVERS, ENCODERS)
    return {f"{registry.kind}s": registry for registry in registries}[kind]
