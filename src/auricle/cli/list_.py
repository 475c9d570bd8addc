"""`auricle list`: list the names of tasks, models, metrics and other parts."""

from __future__ import annotations

from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.output import print_result
from auricle.core.registry import Registry

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
    width = max(map(len, summaries))
    print_result(as_json, summaries, (f"{name:<{width}}  {summary}" for name, summary in summaries.items()))


def _registry(kind: str) -> Registry[Any]:
    from auricle.metrics.catalogue import METRICS
    from auricle.models.catalogue import MODELS
    from auricle.prompts.catalogue import ENCODERS, RETRIEVERS
    from auricle.tasks.catalogue import INFERENCERS, TASKS

    registries = (TASKS, MODELS, METRICS, INFERENCERS, RETRIEVERS, ENCODERS)
    return {f"{registry.kind}s": registry for registry in registries}[kind]
