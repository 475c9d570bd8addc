"""The fields of a table of phrasings, one table per language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Phrasings:
    """What replies in one language look like.

    Fields are alternatives of a regular expression ("ja|doch"), matched without case in a cleaned reply, as whole words
    if the language separates words by spaces. An empty field means that the language needs no such phrasing.
    """

    is_spaced: bool = True

    # around an option
    fillers: str = ""
    """Words without effect between a phrase and the option: "the answer is *most likely the* violin"."""
    verbs: str = ""
    """Words that may also stand between a negation and what it denies: "does not *sound like* a violin"."""
    articles: str = ""
    """Words that an option may begin with and a reply may leave out or replace: "*a* violin", "*in the* kitchen"."""
    option_nouns: str = ""
    """Words before a letter or after an ordinal: "*option* B", "the second *option*"."""
    conjunctions: str = ""
    """Words that join alternatives: "A *or* B"."""
    verbs_after_letter: str = ""
    """Words that show that the letter before them is an option: "A *is* wrong", but not "A violin"."""
    negations: str = ""
    """Words that deny what follows: "*not* A", "*rather than* A", "*hardly* A", "louder *than* A"."""
    distant_negations: str = ""
    """Words that also deny an option some words later: "I would*n't* call it a violin", "I *doubt* that it is A"."""
    denied_clauses: str = ""
    """Words that deny the rest of their clause: "I do not know *whether* it is A"."""
    denials: str = ""
    """Phrases after the option: "A *is wrong*"."""
    first_thoughts: str = ""
    """Words of a thought that was given up, before the option: "I first *thought* it was A"."""
    first_thoughts_after: str = ""
    """The same after the option: "A *at first*"."""
    doubts: str = ""
    """"*Perhaps* A", "it *might be* A"."""
    doubts_after: str = ""
    """"A *is possible*"."""
    answer_nouns: str = ""
    """"The *answer* is A", "*conclusion*: A"."""
    result_nouns: str = ""
    """Nouns that announce an answer only with a verb or a colon: "the *emotion* is A"."""
    copulas: str = ""
    """Verbs after such a noun: "the answer *is* A"."""
    decisions: str = ""
    """"*I choose* A", "*so* A", "*no, wait,* A"."""
    confirmations: str = ""
    """Phrases after the option: "A *is correct*", "A, *because* …"."""
    predicates: str = ""
    """"It *is* A", "the speaker *sounds* A"."""
    predicates_after: str = ""
    """The same in languages in which the verb follows."""
    ordinals: tuple[str, ...] = ()
    """"First", "second" and so on."""
    last_ordinal: str = ""

    # what is no assertion
    questions: str = ""
    """Ends of a sentence that is a question even without a question mark."""
    conditions: str = ""
    """"*If* there were waves, I would choose A"."""
    harmless_conditions: str = ""
    """"*If I had to choose*, A"."""
    causes: str = ""
    """"A, *because* if it were B, …": the condition belongs to the reason."""
    dependences: str = ""
    """"*It depends*: with the choir A, without it B": the rest of the sentence weighs cases."""
    concessions: str = ""
    """"*Although* B comes close, it is A"."""
    comparisons: str = ""
    """"*Closer to A than to B*"."""
    courtesies: str = ""
    """Set phrases that contain a label, yes or no: "*I'd be happy to help*", "*no problem*"."""
    refusals: str = ""
    """Phrases that decline to answer, or state that there is no audio or that it cannot be heard."""

    # yes and no
    yes: str = ""
    no: str = ""
    agreements: str = ""
    """Words that mean yes as a clause of their own or after "the answer is": "*Exactly*, it is a dog"."""
    disagreements: str = ""
    both: str = ""
    """Phrases that contain yes or no but answer neither: "*yes and no*", "*whether or not*"."""
    implied_yes: str = ""
    """A whole sentence that affirms: "It does."."""
    implied_no: str = ""
    """Words that deny what was asked for: "*There is no* dog", "*I cannot hear* a dog"."""

    # numbers
    number_words: Mapping[str, float] = field(default_factory=dict)
    halves: str = ""
    """"Three *and a half*"."""
    decimal_words: str = ""
    """"Three *point* five"."""
    minus: str = ""
    rating_cues: str = ""
    """"*Rating*: 4", "I would *give* it a 4"."""
    rating_units: str = ""
    """"4 *stars*"."""
    other_units: str = ""
    """"14 *seconds*"."""
    bounds: str = ""
    """"*At least* 3"."""
    bounds_after: str = ""
    """"3 *or more*"."""
    has_decimal_comma: bool = False
