"""Errors by word, against counts by jiwer."""

import random
from collections import Counter

import jiwer
import pytest

from auricle import Generation, Sample, SpecError
from auricle.core.types import Failure, Record, Segment
from auricle.metrics.scales import wilson_interval
from auricle.report.run_html import Page
from auricle.report.sample_view import SampleView
from auricle.runs.metrics import Metrics
from auricle.tasks.asr.error_rates import cer, exact_match, wer
from auricle.tasks.asr.word_errors import MAX_EXAMPLES, WordErrorCounter, WordErrors, find_word_metric, render_words


def make_record(target: str, text: str, name: str = "1", error: Failure | None = None) -> Record:
    return Record(
        sample=Sample(id=name, inputs={}, target=target), row=0, outputs=(Generation(text=text),), error=error
    )


def count(*pairs: tuple[str, str]) -> WordErrors:
    counter = WordErrorCounter(wer)
    for place, (target, text) in enumerate(pairs):
        counter.count(make_record(target, text, str(place)))
    return counter.build()


def test_lost_confused_and_inserted_words_are_counted_with_their_places() -> None:
    errors = count(("Call Anna now.", "call hanna now"), ("Anna and Bob", "and bob"), ("Anna", "Anna, Bob"))
    (anna,) = errors.words
    assert (anna.word, anna.occurrences, anna.substituted, anna.deleted, anna.share) == ("anna", 3, 1, 1, 2 / 3)
    assert (anna.low, anna.high) == wilson_interval(2 / 3, 3)
    assert [example.text for example in anna.examples] == [
        "call {anna→hanna} now", "{anna→∅} and bob",
    ]  # fmt: skip
    assert [(pair.reference, pair.answer, pair.count) for pair in errors.confusions] == [("anna", "hanna", 1)]
    assert [(word.answer, word.count) for word in errors.insertions] == [("bob", 1)]
    assert (errors.metric, errors.profile, errors.samples, errors.is_truncated) == ("WER", "basic", 3, False)


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_the_alignment_of_jiwer(seed: int) -> None:
    rng = random.Random(seed)
    pairs = [tuple(" ".join(rng.choices("abcde", k=rng.randint(1, 9))) for _ in range(2)) for _ in range(60)]
    substituted: Counter[tuple[str, str]] = Counter()
    deleted: Counter[str] = Counter()
    inserted: Counter[str] = Counter()
    for reference, hypothesis in pairs:
        words, others = reference.split(), hypothesis.split()
        for chunk in jiwer.process_words(reference, hypothesis).alignments[0]:
            old = words[chunk.ref_start_idx : chunk.ref_end_idx]
            new = others[chunk.hyp_start_idx : chunk.hyp_end_idx]
            if chunk.type == "substitute":
                substituted.update(zip(old, new, strict=True))
            elif chunk.type != "equal":
                deleted.update(old)
                inserted.update(new)
    errors = count(*((first, second) for first, second in pairs))
    assert {(pair.reference, pair.answer): pair.count for pair in errors.confusions} == substituted
    assert {word.word: word.deleted for word in errors.words if word.deleted} == deleted
    assert {word.answer: word.count for word in errors.insertions} == inserted
    lost = [word.lost for word in errors.words]
    assert lost == sorted(lost, reverse=True)
    assert all(len(word.examples) == min(word.lost, MAX_EXAMPLES) for word in errors.words)


def test_one_word_has_all_its_places() -> None:
    counter = WordErrorCounter(wer, word="anna")
    for place in range(9):
        counter.count(make_record("anna sings", "hanna sings" if place % 2 else "anna anna sings", str(place)))
    lost = counter.count_word("anna")
    assert lost
    assert [example.id for example in lost.examples] == ["1", "3", "5", "7"]
    (inserted,) = counter.count_insertions("anna")
    assert (inserted.reference, inserted.count, len(inserted.examples)) == ("", 5, 5)
    assert counter.count_word("berta") is None
    assert counter.count_insertions("berta") == ()


def test_failed_samples_are_left_out_and_a_limit_is_stated() -> None:
    counter = WordErrorCounter(wer, max_samples=1)
    records = [make_record("a", "b", error=Failure("Timeout", "late")), make_record("a", "b"), make_record("a", "c")]
    for record in records:
        counter.count(record)
    errors = counter.build()
    assert (errors.samples, errors.is_truncated) == (1, True)
    assert not WordErrorCounter(None).build()


def test_the_first_error_rate_decides_which_words_there_are() -> None:
    assert find_word_metric([exact_match, wer, cer]) is wer
    assert find_word_metric([exact_match]) is None
    assert find_word_metric([wer, cer], "cer") is cer
    with pytest.raises(SpecError, match=r"'bleu' is not an error rate of this run. Error rates: wer, cer\."):
        find_word_metric([wer, cer], "bleu")


def test_the_page_links_examples_to_cards_and_escapes_words() -> None:
    errors = count(("<b>anna", "<i>hanna"), ("anna", "hanna"))
    page = render_words(Page(Metrics.__new__(Metrics), [SampleView(id="1")], {"word-errors": errors}))
    assert page
    assert page.count("<details><summary><bdi>anna</bdi></summary>") == 2
    assert '<a href="#sample-1"><bdi>1</bdi></a>' in page
    assert '<mark><span class="swap"><del>anna</del><ins>hanna</ins></span></mark>' in page
    assert "<i>" not in page
    assert render_words(Page(Metrics.__new__(Metrics), [], {})) is None


def test_turns_without_words_lose_none() -> None:
    counter = WordErrorCounter(wer)
    turns = Generation(text="", segments=(Segment(0.0, 1.0, speaker="anna"),))
    counter.count(Record(sample=Sample(id="1", inputs={}, target="good morning"), row=0, outputs=(turns,)))
    assert counter.build().samples == 0
