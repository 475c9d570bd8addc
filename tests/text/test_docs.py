"""Statements of docs/text.md about profiles and replies."""

from auricle.text import PROFILES, read_option
from tests.support import paths

PAGE = (paths.DOCS / "text.md").read_text(encoding="utf-8")
CHOICES = ["a violin", "a guitar", "a drum", "a flute"]


def test_every_profile_is_documented() -> None:
    assert [name for name in PROFILES if f"`{name}`" not in PAGE] == []


def test_the_documented_replies_are_extracted_as_stated() -> None:
    lines = PAGE.partition("| reply | `vb-mcq` | Auricle |")[2].splitlines()[2:]
    documented = {}
    for line in lines:
        _, reply, _, letter, _ = (cell.strip() for cell in line.split("|"))
        documented["" if reply == "(empty)" else reply.strip("`")] = letter
    indices = {reply: read_option(reply, CHOICES).value for reply in documented}
    assert len(documented) > 12
    assert documented == {reply: "unreadable" if index is None else "ABCD"[index] for reply, index in indices.items()}
