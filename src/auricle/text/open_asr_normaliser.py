"""The English normaliser of the Open ASR Leaderboard: Whisper's normaliser with other tables.

The leaderboard drops more fillers, does not expand the `'s` of possessives, joins spelled-out letters, and unifies the
spelling of names that sound alike. `_NAMES` is its name table (Apache-2.0), grouped by the unified spelling; the other
tables are the differences from the library's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import Any

from auricle.text.whisper_normaliser import create_legacy_normaliser, normalise_with

_FILLERS = "hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh"
_ANY_S = r"'s\b"
_PRONOUN_S = r"\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b"
_JOINED = {
    **dict.fromkeys(("al right", "all right"), "alright"),
    "et cetera": "etc",
    "o k": "okay",
    **{
        separate: separate.replace(" ", "")
        for separate in (
            "how ever",
            *("wi fi", "hi fi", "lo fi", "sci fi"),
            *("e mail", "e book", "e commerce", "x ray", "t shirt"),
            *("a m", "p m"),
        )
    },
}
_SPELLINGS = {
    "ok": "okay",
    "kay": "okay",
    "mm": "hmm",
    "etcetera": "etc",
    "flyer": "flier",
    "snowploughs": "snowplows",
    "pummelled": "pummeled",
    "pummelling": "pummeling",
    "archaeology": "archeology",
    "archaeological": "archeological",
    "cancellation": "cancelation",
    "cancellations": "cancelations",
    "travelogue": "travelog",
    "travelogues": "travelogs",
}
_UNCHANGED = ("archeological", "cancelation", "cancelations", "travelog", "travelogs")
_NAMES = """
aaron: aron; alfonso: alphonso; alison: allison alyson; allen: alan allan; anne: ann; anthony:
antony; arthur: artur; brett: bret; brian: bryan; bridget: bridgette; caitlin: kaitlin kaitlyn
katelyn; carl: karl; carol: carole carrol carroll; catherine: catharine katherine kathryn; cathy:
kathy; charlie: charley charly; chris: kris; christina: kristina; christopher: cristopher
kristopher; colin: collin; deborah: devorah; dennis: denis; dominic: dominick; douglas: douglass;
dylan: dillon; eric: erick erik; fatima: fatimah; frederick: frederik fredrick; gail: gayle; gary:
garry; greg: gregg; henry: henri; ivonne: yvonne; jackie: jacky; jamie: jaime; jason: jayson;
jeff: geoff; jeffrey: geoffrey jeffery; joanne: joane joann; john: jon; jonathan: johnathan
jonathon; joseph: josef; karen: caren caryn karin; kelly: kelley kelli kellye; kevin: kevan;
kristin: kristen; laurie: lori; lawrence: laurence; lee: leigh; leslie: lesley; lily: lilly;
linda: lynda; lindsay: lindsey linsey; louis: lewis; lucas: lukas; lynn: lynne; mark: marc;
martin: martyn; matthew: mathew; mcarthur: macarthur; mccarthy: macarthy maccarthy; mccartney:
macartney; mcdonald: macdonald; mcgowan: macgowan; mcintosh: macintosh; mcintyre: macintyre;
mckay: mackay; mckenzie: mackenzie; mclean: maclean; mcleod: macleod; mcmillan: macmillan;
mcnamara: macnamara; megan: meghan; michael: micheal; michelle: michele; miriam: myriam; mohammed:
mahomet mohamad mohamed mohammad mouhamad mouhamed muhamad muhammad muhammed; molly: mollie;
natalie: nathalie; neil: neal; nicholas: nicolas; nicole: nikole; patrick: patrik; peter: pieter;
philip: phillip; rachel: rachael; rajiv: rajeev; rebecca: rebekah; rob: robb; robin: robyn; roger:
rodger; ronda: rhonda; russell: russel; sally: sallie; sarah: sara; sean: shaun shawn; shane:
shayne; sherry: cheri sheri sherrie; simon: symon; stacy: stacey stacie; steven: stephen; stuart:
stewart; susanne: suzanne; teresa: theresa; terry: terri; thomas: tomas; toby: tobey; tony: toni;
tracy: tracey tracie; veronica: veronika; victor: viktor; victoria: viktoria; walter: walther;
yousef: yusef yusuf; zach: zak; zachary: zachery zackary
"""
_SHORT_WORDS = frozenset("ai")


def _parse_names() -> dict[str, str]:
    groups = (group.split(":") for group in _NAMES.split(";"))
    return {name: unified.strip() for unified, names in groups for name in names.split()}


def _join_letters(words: list[str]) -> list[str]:
    """Join two or more single letters or digits into a word; with `a` or `i` among them, three or more."""
    joined: list[str] = []
    for is_single, group in groupby(words, key=lambda word: len(word) == 1 and word.isalnum()):
        letters = list(group)
        min_count = 3 if _SHORT_WORDS.intersection(letters) else 2
        joined += ["".join(letters)] if is_single and len(letters) >= min_count else letters
    return joined


def _join_compounds(text: str) -> str:
    for separate, joined in _JOINED.items():
        pattern = separate.replace(" ", r"\s+")
        text = re.sub(rf"\b{pattern}\b", joined, text)
    return text


def _build_respeller(mapping: dict[str, str]) -> Callable[[str], str]:
    spellings = {word: spelling for word, spelling in mapping.items() if word not in _UNCHANGED}
    spellings |= _SPELLINGS
    names = _parse_names()

    def respell(text: str) -> str:
        american = (spellings.get(word, word) for word in text.split())
        return " ".join(_join_letters([names.get(word, word) for word in american]))

    return respell


@cache
def _build_normaliser() -> Any:
    """Create the library's normaliser and replace its tables with those of the leaderboard."""
    normaliser = create_legacy_normaliser()
    normaliser.ignore_patterns = rf"\b({_FILLERS})\b"
    normaliser.replacers = {
        (_PRONOUN_S if pattern == _ANY_S else pattern): (r"\1 is" if pattern == _ANY_S else replacement)
        for pattern, replacement in normaliser.replacers.items()
    }
    read_numbers = normaliser.standardize_numbers
    normaliser.standardize_numbers = lambda text: read_numbers(_join_compounds(text))
    normaliser.standardize_spellings = _build_respeller(normaliser.standardize_spellings.mapping)
    return normaliser


def normalise_open_asr(text: str) -> str:
    """Normalise English as the Open ASR Leaderboard does."""
    return " ".join(normalise_with(_build_normaliser(), text).split())
