"""docs/text.md says of profiles and replies what is so."""

from auricle.text import PROFILES, extract_option
from tests.support import paths

PAGE = (paths.DOCS / "text.md").read_text(encoding="utf-8")
CHOICES = ["a violin", "a guitar", "a drum", "a flute"]


def test_every_profile_is_told_of() -> None:
    assert [name for name in PROFILES if f"`{name}`" not in PAGE] == []


def test_the_replies_beside_the_template_matcher_are_read_as_told() -> None:
    table = PAGE.partition("| reply | `vb-mcq` | Auricle |")[2].splitlines()[2:]
    told = {}
    for line in table:
        _, reply, _, read, _ = (cell.strip() for cell in line.split("|"))
        told["" if reply == "(empty)" else reply.strip("`")] = read
    found = {reply: extract_option(reply, CHOICES) for reply in told}
    assert len(told) > 12
    assert told == {reply: "unreadable" if place is None else "ABCD"[place] for reply, place in found.items()}
