"""Compare answers to mathematical questions as AISBench's evaluator of MATH does.

Two answers are equal if their LaTeX is equal after a series of replacements. The order of the replacements decides
some answers, so it is AISBench's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from auricle.core.errors import Unreadable

BOX, FRAMED_BOX = "\\boxed", "\\fbox"
Replacements = Iterable[tuple[str, str]]

FINAL_REPLACEMENTS: Replacements = (
    *(("an ", ""), ("a ", ""), (".$", "$"), ("\\$", ""), ("\\ ", ""), (" ", ""), ("mbox", "text")),
    *((",\\text{and}", ","), ("\\text{and}", ","), ("\\text{m}", "\\text{}"), ("\\le", "<")),
)
FINAL_UNITS = (
    *str.split(
        "square ways integers dollars mph inches ft hours km units \\ldots sue points feet minutes digits cents "
        "degrees cm gm pounds meters meals edges students childrentickets multiples"
    ),
    *("\\text{s}", "\\text{.}", "\\text{\ns}", "\\text{}^2", "\\text{}^3", "\\text{\n}", "\\text{}"),
    *("\\mathrm{th}", "^\\circ", "^{\\circ}", "\\;", ",\\!", "{,}", '"', "\\dots", "\n", "\r", "\f"),
)
"""Units and symbols that are removed from a final answer, in this order."""
DEGREES: Replacements = (("^{\\circ}", ""), ("^\\circ", ""), ("\\$", ""))
FRACTION_NAMES: Replacements = (("tfrac", "frac"), ("dfrac", "frac"), ("\\left", ""), ("\\right", ""))
MISSING_ZEROS: Replacements = ((" .", " 0."), ("{.", "{0."))


def _replace_all(text: str, replacements: Replacements) -> str:
    for old, new in replacements:
        text = text.replace(old, new)
    return text


def find_boxed(text: str, unwrap_braces: bool = False) -> str | None:
    r"""Return the content of the last box, or None if there is none.

    >>> find_boxed(r"So \boxed{1}, or \boxed{\frac{1}{2}}.")
    '\\frac{1}{2}'
    """
    start = text.rfind(BOX)
    if start < 0 and (start := text.rfind(FRAMED_BOX)) < 0:
        return None
    depth, end = 0, None
    for position in range(start, len(text)):
        depth += (text[position] == "{") - (text[position] == "}")
        if text[position] == "}" and depth == 0:
            end = position
            break
    if end is None:
        return None
    if not text.startswith(f"{BOX}{{", start):
        raise Unreadable("the last box is not written as \\boxed{…}")
    content = text[start + len(BOX) + 1 : end]
    match = re.match(r"^\{(.*)\}$", content) if unwrap_braces else None
    return match[1] if match else content


def normalise_final_answer(text: str) -> str:
    """Reduce a final answer to its value: without units, words, boxes and shorthand."""
    text = _replace_all(text, FINAL_REPLACEMENTS)
    text = _replace_all(text, ((unit, "") for unit in FINAL_UNITS))
    text = re.sub(r"\\text\{\((.*?)\)\}", r"\1", text)
    for command in ("text", "textbf", "overline"):
        text = re.sub(rf"\\{command}\{{(.*?)\}}", r"\1", text)
    text = re.sub(r"\\boxed\{(.*)\}", r"\1", text)
    for pattern in (r"finalansweris(.*)", r"answer?is:?(.*)", r"oxed\{(.*?)\}", r"\$(.*?)\$"):
        if matches := re.findall(pattern, text):
            text = matches[-1]
    text = text.strip()
    if "rac" in text and "\\frac" not in text:
        text = text.replace("rac", "\\frac")
    text = re.sub(r"frac([^{])(.)", r"frac{\1}{\2}", text)
    text = re.sub(r"sqrt([^{])", r"sqrt{\1}", text)
    text = text.replace("$", "")
    without_commas = text.replace(",", "")
    return without_commas if without_commas.isdigit() else text


def are_equivalent(answer: Any, reference: Any, version: str = "v1") -> bool:
    """Compare two answers with the rules of a version, `v1` or `v2`."""
    if answer is None or reference is None:
        return answer is None and reference is None
    strip = {"v1": _strip_first_version, "v2": _strip_second_version}[version]
    return (
        _equal_after(answer, reference, strip)
        or _equal_after(answer, reference, lambda text: normalise_final_answer(strip(text)))
        or _equal_after(answer, reference, normalise_final_answer)
        or bool(answer == reference)
    )


def _equal_after(answer: Any, reference: Any, normalise: Any) -> bool:
    try:
        return bool(normalise(answer) == normalise(reference))
    except (AttributeError, IndexError, TypeError, ValueError):  # a value that the rules do not cover
        return False


def _strip_first_version(text: str) -> str:
    text = _replace_all(text, (("\n", ""), ("\\!", ""), ("\\\\", "\\"), *FRACTION_NAMES, *DEGREES))
    if "\\text{ " in text:
        text, _ = text.split("\\text{ ")  # units; anything else is not covered
    text = _replace_all(text, (("\\%", ""), *MISSING_ZEROS))
    text = _strip_start(text)
    text = _brace_roots(text).replace(" ", "")
    text = _brace_fractions(text)
    return _write_fraction("\\frac{1}{2}" if text == "0.5" else text)


def _strip_second_version(text: Any) -> str:
    text = str(text).strip().replace("\n", "").rstrip(".")
    text = _replace_all(text, (("\\!", ""), ("\\ ", ""), ("\\\\", "\\"), ("\\\\", "\\"), *FRACTION_NAMES))
    text = re.sub(r"\\text{.*?}$", "", text).strip() or text  # a unit, unless it is the whole answer
    text = _replace_all(text, (*DEGREES, ("$", ""), ("\\text", ""), ("x\\in", ""), ("\\%", ""), ("%", "")))
    text = _replace_all(text, (*MISSING_ZEROS, ("\\cdot", ""), ("infinity", "\\infty")))
    if "\\infty" not in text:
        text = text.replace("inf", "\\infty")
    text = _replace_all(text, (("+\\inity", "\\infty"), ("and", ""), ("\\mathbf", "")))
    text = re.sub(r"\\mbox{.*?}", "", text)
    if "j" in text and "i" not in text:
        text = text.replace("j", "i")
    text = re.sub(r"(\d+)\.0+([^\d])", r"\1\2", text)
    text = re.sub(r"(\d+)\.0+$", r"\1", text)
    text = _strip_start(text)
    text = re.sub(r"\\sqrt(\w+)", r"\\sqrt{\1}", text).replace(" ", "")
    return _write_fraction(_brace_fractions(text))


def _strip_start(text: str) -> str:
    """Add a missing zero, and remove a name such as `k =`."""
    if text.startswith("."):
        text = f"0{text}"
    sides = text.split("=")
    return sides[1] if len(sides) == 2 and len(sides[0]) <= 2 else text


def _brace_roots(text: str) -> str:
    r"""Write `\sqrt3` as `\sqrt{3}`."""
    first, *others = text.split("\\sqrt")
    return first + "".join(f"\\sqrt{part}" if part[0] == "{" else f"\\sqrt{{{part[0]}}}{part[1:]}" for part in others)


def _brace_fractions(text: str) -> str:
    r"""Write `\frac12` and `\frac1{2}` as `\frac{1}{2}`."""
    first, *others = text.split("\\frac")
    result = first
    for part in others:
        if part.startswith("{"):
            result += f"\\frac{part}"
        elif len(part) < 2:
            return text
        elif part[1] == "{":
            result += f"\\frac{{{part[0]}}}{part[1:]}"
        else:
            result += f"\\frac{{{part[0]}}}{{{part[1]}}}{part[2:]}"
    return result


def _write_fraction(text: str) -> str:
    r"""Write `1/2` as `\frac{1}{2}`."""
    match = re.fullmatch(r"(-?[1-9][0-9]*|0)/(-?[1-9][0-9]*|0)", text)
    return f"\\frac{{{match[1]}}}{{{match[2]}}}" if match else text
