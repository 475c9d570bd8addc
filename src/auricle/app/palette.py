"""Colours of the light and the dark theme, and the Streamlit settings made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

THEME_COLOURS = {
    "accent": ("primaryColor", "linkColor", "blueColor"),
    "background": ("backgroundColor", "sidebar.secondaryBackgroundColor"),
    "surface": ("secondaryBackgroundColor", "codeBackgroundColor", "sidebar.backgroundColor"),
    "text": ("textColor", "codeTextColor"),
    "border": ("borderColor",),
    "contrast": ("orangeColor",),
}
"""The Streamlit settings for each colour of a palette."""
SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif'
SERIF = '"Iowan Old Style", "Palatino Linotype", Palatino, "Noto Serif", Georgia, serif'
MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one theme, named by purpose."""

    background: str
    text: str
    muted: str
    border: str
    surface: str
    accent: str
    contrast: str
    inactive: str
    categorical: tuple[str, ...]
    """Up to eight unordered categories, distinguishable with any colour vision."""
    sequential: tuple[str, ...]
    """From low to high."""
    heat: tuple[str, str]
    """Of cells that agree, or rise, and of the others: the tints of the report's matrices, see `plots.css`."""
    is_dark: bool = False


LIGHT = Palette(
    background="#fcfbf8",
    text="#1e1d1b",
    muted="#67635b",
    border="#dcd8ce",
    surface="#f3f0e9",
    accent="#1a5a88",
    contrast="#a9480c",
    inactive="#c3bcab",
    categorical=("#0072b2", "#d55e00", "#009e73", "#b8588f", "#a98600", "#4aa3d8", "#6f6a60", "#8a3b12"),
    sequential=("#fcfbf8", "#dbe6ec", "#b3cede", "#85b1cb", "#5891b3", "#357499", "#1a5a88", "#0f4266",
          "#092f4c", "#051f34"),
    heat=("#1a5a88", "#c96a1e"),
)  # fmt: skip
DARK = Palette(
    background="#15171a",
    text="#e8e5df",
    muted="#a5a097",
    border="#35383d",
    surface="#1f2226",
    accent="#86bfe6",
    contrast="#f0aa6a",
    inactive="#6c6a64",
    categorical=("#4aa8e8", "#f08a3c", "#2fc495", "#dd8fbd", "#d9b93b", "#9ad4f5", "#b3ada1", "#c9784a"),
    sequential=("#15171a", "#16242f", "#173446", "#1b4661", "#265a7d", "#38719a", "#5289b3", "#72a6cc",
          "#9cc4e2", "#d3e6f4"),
    heat=("#549ed4", "#d98034"),
    is_dark=True,
)  # fmt: skip


def streamlit_theme_options() -> dict[str, Any]:
    """Return the Streamlit settings of both themes, by name."""
    options: dict[str, Any] = {}
    for mode, palette in (("light", LIGHT), ("dark", DARK)):
        for colour, names in THEME_COLOURS.items():
            options |= dict.fromkeys((f"theme.{mode}.{name}" for name in names), getattr(palette, colour))
        options[f"theme.{mode}.chartCategoricalColors"] = list(palette.categorical)
        options[f"theme.{mode}.chartSequentialColors"] = list(palette.sequential)
    return options | {
        "theme.font": SANS,
        "theme.headingFont": SERIF,
        "theme.codeFont": MONO,
        "theme.baseRadius": "4px",
        "theme.showWidgetBorder": True,
        "theme.baseFontSize": 15,
        "theme.headingFontWeights": [600, 600, 600, 600, 600, 600],
        "theme.headingFontSizes": ["2rem", "1.15rem", "1.05rem", "1rem", "1rem", "1rem"],
    }
