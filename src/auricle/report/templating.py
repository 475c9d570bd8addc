"""Render HTML from Jinja2 templates. Everything that is not `Markup` is escaped.

Templates are named by their path in the package: `report/templates/macros.html`.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from auricle.report import html_format, text_format
from auricle.report.audio_clips import MEDIA_TYPE

if TYPE_CHECKING:
    from jinja2 import Environment

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; media-src data:; img-src data:"
)


def render(template: str, /, **context: Any) -> Markup:
    """Render a template, such as a fragment of a page."""
    return Markup(load_environment().get_template(template).render(context))  # noqa: S704 - templates escape their values


def render_page(template: str, /, **context: Any) -> str:
    """Render a template that extends `report/templates/page.html`. Lone surrogates become question marks."""
    return render(template, **context).encode("utf-8", "replace").decode() + "\n"


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
    from auricle.report.template_cache import TemplateCache

    environment = Environment(
        loader=PackageLoader("auricle", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=TemplateCache(),
    )
    environment.globals.update(asset=load_asset, content_security_policy=CONTENT_SECURITY_POLICY)
    environment.filters.update(
        data_uri=_data_uri,
        bounds=html_format.get_bounds,
        count=html_format.format_count,
        coverage=html_format.typeset_coverage,
        decimal=html_format.typeset_decimal,
        interval=html_format.typeset_interval,
        quantity=html_format.typeset_number,
        typeset=html_format.typeset,
        unitless=html_format.strip_unit,
        clip=text_format.truncate,
        px="{:.1f}".format,
        tick=plots.format_tick,
        short_label=plots.shorten_label,
    )
    return environment
