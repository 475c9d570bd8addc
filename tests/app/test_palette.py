"""Tests of the colours."""

import re
from dataclasses import fields
from importlib.resources import files

import pytest

from auricle.app.palette import DARK, LIGHT, Palette, streamlit_theme_options


def luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("name", ["text", "muted", "accent", "contrast"])
def test_text_colours_are_readable_on_the_background(palette: Palette, name: str) -> None:
    first, second = sorted((luminance(getattr(palette, name)), luminance(palette.background)))
    assert (second + 0.05) / (first + 0.05) >= 4.5


def test_matrices_have_the_colours_of_the_report() -> None:
    css = (files("auricle.report") / "plots.css").read_text(encoding="utf-8")
    for name, at in (("accent", 0), ("other", 1)):
        tints = re.findall(rf"--plot-{name}: var\(--{name}-tint, (\d+) (\d+) (\d+)\)", css)
        expected = ["#" + "".join(f"{int(part):02x}" for part in tint) for tint in tints]
        assert expected == [palette.heat[at] for palette in (LIGHT, DARK)]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_colours_are_six_hexadecimal_digits(palette: Palette) -> None:
    values = [getattr(palette, field.name) for field in fields(palette) if field.name != "is_dark"]
    for value in values:
        for colour in value if isinstance(value, tuple) else (value,):
            assert re.fullmatch("#[0-9a-f]{6}", colour)


def test_streamlit_options_contain_both_themes() -> None:
    options = streamlit_theme_options()
    assert options["theme.light.backgroundColor"] == LIGHT.background
    assert options["theme.dark.backgroundColor"] == DARK.background
