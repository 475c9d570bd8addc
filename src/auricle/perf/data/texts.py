"""Texts with about a given number of tokens: random common words, each of which is one token for most tokenizers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import Generator

_WORDS = """
    about above across after again against age ago air all almost along also always among and another answer any
    area arm around art ask away baby back bad bag ball bank base bath bear beat bed before begin behind below
    best better between big bird bit black blood blue board boat body book born both box boy bread break bring
    brother brown build burn bus but buy call car care carry case catch cause cell cent chair chance change
    check child choose city class clear climb clock close cloud coat cold color come common cook cool copy corn
    corner cost count country course cover cross cut dance dark day dead deal death deep direct doctor dog door
    double down draw dream dress drink drive drop dry during ear early earth east easy eat edge effect egg
    eight else end engine enough equal even evening ever every exact eye face fact fair fall family far farm
    fast father feel field fight figure fill final find fine finger finish fire first fish five flat floor flow
    flower fly follow food foot force form forward four free fresh friend from front fruit full game garden gas
    gave general girl give glass gold good great green ground group grow guess half hand happen happy hard hat
    have head hear heart heat heavy help here high hill history hold hole home hope horse hot hour house huge
    human hundred ice idea inch include iron island job join jump just keep key kind king know lake land
    language large last late laugh law lead learn leave left leg length less letter level lift light like line
    list listen little live local long look lost loud love low machine main make many map mark market matter
    mean measure meat meet metal method middle might mile milk mind minute miss modern moment money month moon
    more morning most mother mountain mouth move much music must name nation nature near neck need never new
    next night nine noise noon north nose note nothing notice now number object ocean off offer office often oil
    old once only open order other our out over own page paint pair paper part party pass past path pay people
    perhaps person phone picture piece place plan plane plant play please point poor port position pound power
    press print problem product proper public pull push put quarter question quick quiet race radio rain raise
    range rate reach read ready real reason record red remember rest result rich ride right ring rise river road
    rock roll roof room root rope rose round row rule run safe sail salt same sand save say scale school science
    sea season seat second see seed seem sell send sense serve set seven shape share sharp sheet shell shine
    ship shoe shop short should shoulder show side sight sign silver simple since sing sister sit six size skin
    sky sleep slip slow small smell smile snow soft soil soldier solution some son song soon sound south space
    speak special speed spell spend spring square stand star start state station stay steam steel step stick
    still stone stop store story straight strange stream street strong student study subject such sugar summer
    sun sure surface swim system table tail take talk tall teach team ten term test thank then there thick
    thin thing think third those thought thousand three through throw tie time tiny together tone took top total
    touch town track trade train tree triangle trip trouble truck true try tube turn twenty two type under unit
    until use usual valley value very view village visit voice vowel wait walk wall want war warm wash watch
    water wave way wear weather week weight well west wheel when where while white whole why wide wife wild will
    wind window wing winter wish with woman wonder wood word work world write wrong yard year yellow yes yet
    young
"""
VOCABULARY = tuple(_WORDS.split())


def make_text(tokens: int, random: Generator) -> str:
    """Return random words, about one per token."""
    return " ".join(VOCABULARY[index] for index in random.integers(len(VOCABULARY), size=tokens))


@lru_cache(maxsize=4096)
def make_block(key: tuple[int, ...], tokens: int) -> str:
    """Return a text that is always the same for a key, such as the number of a shared prefix."""
    import numpy as np

    return make_text(tokens, np.random.default_rng([1, *key]))
