"""Render HTML from Jinja2 templates. Everything that is not `Markup` is escaped.

Templates are named by their path in the package: `report/templates/macros.html`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from auricle.report import html_format, methods, text_format
from auricle.report.audio_clips import MEDIA_TYPE

if TYPE_CHECKING:
    from jinja2 import Environment

STYLESHEETS = ("report/page.css", "report/plots.css")


def render(template: str, /, **context: Any) -> Markup:
    """Render a template, such as a fragment of a page."""
    return Markup(load_environment().get_template(template).render(context))  # noqa: S704 - templates escape their values


def render_page(
    template: str, /, *, stylesheets: Sequence[str] = (), script: str = "report/page.js", **context: Any
) -> str:
    """Render a template that extends `report/templates/page.html`. Lone surrogates become question marks.

    Args:
        template: Name of the template.
        stylesheets: Style sheets besides those of all pages.
        script: The script of the page; empty if it has none.
        context: Values of the template.
    """
    style = Markup("\n").join(map(load_asset, (*STYLESHEETS, *stylesheets)))
    code = load_asset(script) if script else Markup("")
    policy = build_security_policy(style, code)
    page = render(template, style=style, script=code, content_security_policy=policy, **context)
    return page.encode("utf-8", "replace").decode() + "\n"


def build_security_policy(style: str, script: str) -> str:
    """Build the policy of a page: only this style and this script, named by their hashes, and embedded media.

    The hashes are those of the package's own files, not of what a page contains: markup that a model managed to inject
    would not run.
    """
    sources = {
        "default-src": "'none'",
        "style-src": _hash_source(style),
        "script-src": _hash_source(script) if script else "'none'",
        "media-src": "data:",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{directive} {source}" for directive, source in sources.items())


def _hash_source(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def load_asset(name: str) -> Markup:
    """Return a style sheet or script of the package, such as `report/page.css`, to be embedded in a page."""
    return Markup(files("auricle").joinpath(name).read_text(encoding="utf-8"))  # noqa: S704 - a file of the package


def _data_uri(clip: bytes) -> Markup:
    return Markup(f"data:{MEDIA_TYPE};base64,{b64encode(clip).decode()}")  # noqa: S704 - letters, digits and +/=


@cache
def load_environment() -> Environment:
    """Return the environment of all templates. The first call imports Jinja2, which takes a while."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from auricle.report import plots

    environment = Environment(
        loader=PackageLoader("auricle", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        data_uri=_data_uri,
        sample_anchor=html_format.build_sample_anchor,
        bounds=html_format.get_bounds,
        count=html_format.format_count,
        counts=text_format.format_counts,
        coverage=html_format.typeset_coverage,
        dominance=text_format.format_dominance,
        unread_bounds=html_format.get_unread_bounds,
        decimal=html_format.typeset_decimal,
        interval=html_format.typeset_interval,
        mark_breaks=html_format.mark_breaks,
        method=html_format.typeset_method,
        quantity=html_format.typeset_number,
        value=html_format.typeset_value,
        few_units=methods.explain_few_units,
        name_method=methods.format_method,
        typeset=html_format.typeset,
        unitless=html_format.strip_unit,
        clip=text_format.truncate,
        px="{:.1f}".format,
        significant=plots.format_significant,
    )
    return environment
