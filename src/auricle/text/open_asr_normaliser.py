"""English as the Open ASR Leaderboard counts it: Whisper's normaliser with tables of its own.

The leaderboard drops more fillers, keeps a possessive whole, joins spelled-out letters, and gives
one spelling to names that sound alike. Its name table (Apache-2.0) stands below, by the spelling it
settles on; the other tables are what changes against the library's.
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
        apart: apart.replace(" ", "")
        for apart in (
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
    return {name: settled.strip() for settled, names in groups for name in names.split()}


def _join_letters(words: list[str]) -> list[str]:
    """Letters and digits spelled out become a word; `a` and `i` need two more beside them."""
    joined: list[str] = []
    for single, run in groupby(words, key=lambda word: len(word) == 1 and word.isalnum()):
        letters = list(run)
        enough = 3 if _SHORT_WORDS.intersection(letters) else 2
        joined += ["".join(letters)] if single and len(letters) >= enough else letters
    return joined


def _join_compounds(text: str) -> str:
    for apart, joined in _JOINED.items():
        pattern = apart.replace(" ", r"\s+")
        text = re.sub(rf"\b{pattern}\b", joined, text)
    return text


def _build_respeller(mapping: dict[str, str]) -> Callable[[str], str]:
    spellings = {word: said for word, said in mapping.items() if word not in _UNCHANGED}
    spellings |= _SPELLINGS
    names = _parse_names()

    def respell(text: str) -> str:
        american = (spellings.get(word, word) for word in text.split())
        return " ".join(_join_letters([names.get(word, word) for word in american]))

    return respell


@cache
def _build_normaliser() -> Any:
    """The library's normaliser, with the leaderboard's tables hung in where its own were."""
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
    """English as the Open ASR Leaderboard counts it."""
    return " ".join(normalise_with(_build_normaliser(), text).split())
