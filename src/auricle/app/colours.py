"""The colours of the report, light and dark, and the settings that tell Streamlit of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif'
SERIF = '"Iowan Old Style", "Palatino Linotype", Palatino, "Noto Serif", Georgia, serif'
MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what they are for."""

    paper: str
    ink: str
    quiet: str
    rule: str
    faint: str
    accent: str
    other: str
    pale: str
    hues: tuple[str, ...]
    """For kinds that have no order; told apart by every kind of colour vision, up to eight."""
    ramp: tuple[str, ...]
    """From nothing to much."""
    is_dark: bool = False


LIGHT = Palette(
    paper="#fcfbf8",
    ink="#1e1d1b",
    quiet="#67635b",
    rule="#dcd8ce",
    faint="#f3f0e9",
    accent="#1a5a88",
    other="#a9480c",
    pale="#c3bcab",
    hues=("#0072b2", "#d55e00", "#009e73", "#b8588f", "#a98600", "#4aa3d8", "#6f6a60", "#8a3b12"),
    ramp=("#fcfbf8", "#dbe6ec", "#b3cede", "#85b1cb", "#5891b3", "#357499", "#1a5a88", "#0f4266",
          "#092f4c", "#051f34"),
)  # fmt: skip
DARK = Palette(
    paper="#15171a",
    ink="#e8e5df",
    quiet="#a5a097",
    rule="#35383d",
    faint="#1f2226",
    accent="#86bfe6",
    other="#f0aa6a",
    pale="#6c6a64",
    hues=("#4aa8e8", "#f08a3c", "#2fc495", "#dd8fbd", "#d9b93b", "#9ad4f5", "#b3ada1", "#c9784a"),
    ramp=("#15171a", "#16242f", "#173446", "#1b4661", "#265a7d", "#38719a", "#5289b3", "#72a6cc",
          "#9cc4e2", "#d3e6f4"),
    is_dark=True,
)  # fmt: skip


def flags() -> dict[str, Any]:
    """Streamlit's settings that make this look, by their names."""
    told: dict[str, Any] = {}
    for mode, colours in (("light", LIGHT), ("dark", DARK)):
        of_page = {
            "primaryColor": colours.accent,
            "backgroundColor": colours.paper,
            "secondaryBackgroundColor": colours.faint,
            "textColor": colours.ink,
            "linkColor": colours.accent,
            "borderColor": colours.rule,
            "codeBackgroundColor": colours.faint,
            "codeTextColor": colours.ink,
            "chartCategoricalColors": list(colours.hues),
            "chartSequentialColors": list(colours.ramp),
            "blueColor": colours.accent,
            "orangeColor": colours.other,
        }
        told |= {f"theme.{mode}.{name}": value for name, value in of_page.items()}
        told[f"theme.{mode}.sidebar.backgroundColor"] = colours.faint
        told[f"theme.{mode}.sidebar.secondaryBackgroundColor"] = colours.paper
    return told | {
        "theme.font": SANS,
        "theme.headingFont": SERIF,
        "theme.codeFont": MONO,
        "theme.baseRadius": "4px",
        "theme.showWidgetBorder": True,
        "theme.baseFontSize": 15,
        "theme.headingFontWeights": [600, 600, 600, 600, 600, 600],
        "theme.headingFontSizes": ["2rem", "1.35rem", "1.1rem", "1rem", "1rem", "1rem"],
    }
