"""The page: complete, escaped, of bounded size, and honest when there is little to show."""

import re
from dataclasses import replace
from typing import Any

import pytest

from auricle.core.types import Failure, Generation, Prediction, Record, Sample
from auricle.metrics.base import metric
from auricle.report.audio_clips import RIGHT_ANSWER_NOTE
from auricle.report.html_format import collect_extents
from auricle.report.run_html import SECTIONS, Page, render_report
from auricle.report.sample_view import SampleView, build_sample_views
from auricle.runs.metrics import FailureExample, ModelFacts, TaskFacts
from auricle.tasks.asr import error_rates
from auricle.tasks.labels import metrics as labels
from tests.support.report_pages import (
    EVIL,
    assert_policy_admits_only_the_page,
    build_run_metrics,
    make_classified,
    make_record,
    make_transcripts,
    matrix_words,
    read_page,
    view_samples,
    visible_text,
)
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample


def test_page_shows_the_number_its_interval_and_its_coverage() -> None:
    page = visible_text(render_report(make_transcripts(12)[0], []))
    assert "33.33 %" in page
    assert "95 % interval" in page
    assert "100 %" in page
    assert "lower is better" in page
    assert "14 August 2026, 10:22 UTC by auricle 0.1.0" in page
    assert "mine:1|local|Respond#0000|wer:1.pooled.basic" in page


def test_command_that_repeats_the_run_can_be_copied() -> None:
    page = render_report(make_transcripts(4)[0], [], command="auricle run asr -m 'my model'")
    assert "Repeat this run auricle run asr -m 'my model' Copy" in visible_text(page)
    assert ("data-text", "auricle run asr -m 'my model'") in read_page(page).attributes
    assert "Repeat this run" not in visible_text(render_report(make_transcripts(4)[0], []))


def test_page_fetches_nothing() -> None:
    document, records = make_transcripts(4)
    reader = read_page(render_report(document, view_samples(records, error_rates.wer)))
    assert not {"link", "img", "iframe", "base", "object"} & set(reader.tags)
    addresses = [value for name, value in reader.attributes if name in ("src", "href", "action")]
    assert all(value.startswith(("#", "data:")) for value in addresses)
    policy = next(v for _, v in reader.attributes if v and v.startswith("default-src"))
    assert "default-src 'none'" in policy
    assert "url(" not in render_report(document, [])
    assert "@import" not in render_report(document, [])


def test_unfinished_run_is_noted() -> None:
    page = visible_text(render_report(make_transcripts(4, complete=False, rows=40)[0], []))
    assert "not finished: it has 4 of 40 samples" in page


def test_unfinished_run_of_unknown_length_is_noted() -> None:
    page = visible_text(render_report(make_transcripts(4, complete=False, rows=None)[0], []))
    assert "not finished: it has 4 samples" in page


def test_words_on_silence_are_shown_with_their_samples_and_in_the_worst_ones() -> None:
    silent = [make_record(at, Generation(text=text), target="") for at, text in ((7, "thank you"), (8, ""))]
    records = [make_record(0, Generation(text="one two three")), *silent]
    page = visible_text(
        render_report(build_run_metrics(records, [error_rates.wer]), view_samples(records, error_rates.wer))
    )
    assert "On silence" in page
    assert "2 in 1 of 2 samples" in " ".join(page.split())
    assert "2 inserted on silence" in page
    assert "On silence" not in visible_text(render_report(make_transcripts(4)[0], []))


def test_a_number_with_few_units_is_marked_with_the_reason() -> None:
    records = [make_record(at, Generation(text="one too three"), meta={"speaker": at % 6}) for at in range(12)]
    page = visible_text(render_report(build_run_metrics(records, [error_rates.wer]), []))
    assert "33.33 %†" in page
    assert "† only 6 speakers: the interval is approximate" in page
    assert "6 speakers)" in page  # beside the interval of the headline
    plenty = [make_record(at, Generation(text="one too three"), meta={"speaker": at % 10}) for at in range(120)]
    assert "†" not in visible_text(render_report(build_run_metrics(plenty, [error_rates.wer]), []))


def test_an_interval_of_fewer_than_five_units_is_not_shown_and_stretches_no_axis() -> None:
    records = [make_record(0, Generation(text="one two four")), make_record(1, Generation(text="one two three"))]
    metrics = build_run_metrics(records, [error_rates.wer])
    high = metrics.numbers[0].high
    assert high
    assert high > 10
    assert max(end or 0.0 for end in collect_extents(metrics.numbers)) <= 1.0
    page = visible_text(render_report(metrics, []))
    assert "too few to say" in page
    assert f"{100 * high:.2f}" not in page


def test_a_sample_that_decides_a_rate_is_shown_with_the_number() -> None:
    records = [make_record(at, Generation(text="one two four" if at % 3 else "one two three")) for at in range(40)]
    records.append(make_record(40, Generation(text="one two three " + "three " * 200)))
    page = " ".join(visible_text(render_report(build_run_metrics(records, [error_rates.wer]), [])).split())
    assert "1 of 41 samples holds 88 % of the errors; without it 21.67 %" in page


def test_failures_are_shown_with_both_bounds() -> None:
    page = visible_text(render_report(make_transcripts(4, failed=1)[0], []))
    assert "1 sample of 5 failed and is left out." in page
    assert "26.67 %; if worst, 46.67 %" in page
    assert "Timeout" in page
    assert "too late" in page


def test_empty_run_has_a_page() -> None:
    page = visible_text(render_report(build_run_metrics([], [error_rates.wer]), []))
    assert "No number" in page
    assert "No sample has been answered yet" in page


def test_run_in_which_everything_failed_has_a_page() -> None:
    page = visible_text(render_report(make_transcripts(0, failed=3)[0], []))
    assert "Every sample failed" in page
    assert "Timeout" in page


def test_refused_metric_is_shown() -> None:
    dimensions = Prediction(values={"arousal": 0.1}, scale="continuous")
    page = visible_text(render_report(build_run_metrics([make_record(0, dimensions)], [labels.uar]), []))
    assert "UAR was not computed: needs class scores" in page


# --- escaping -------------------------------------------------------------------------


def hostile() -> Any:
    """A run in which every text a stranger may write is an attack."""
    meta = {EVIL: EVIL, "subset": EVIL, "other": EVIL + "2"}
    records = [
        make_record(0, Generation(text=EVIL), target=EVIL + "1", meta=meta),
        make_record(1, Generation(text=EVIL), target=EVIL, meta={**meta, "subset": "b", "other": "3"}),
        make_record(2, Failure(EVIL, EVIL), meta=meta),
    ]

    @metric(name=EVIL)
    def own(sample: Any, output: Any) -> Any:
        return 1.0

    @metric()
    def failing(sample: Any, output: Any) -> float:
        raise ValueError(EVIL)

    task = TaskFacts(EVIL, 1, EVIL, EVIL, EVIL, EVIL, EVIL)
    model = ModelFacts(EVIL, {EVIL: EVIL})
    document = build_run_metrics(
        records, [own, failing, labels.uar, error_rates.wer], task=task, model=model, created=EVIL, auricle=EVIL
    )
    failure = replace(document.failures[0], examples=(FailureExample(EVIL, EVIL, EVIL),))
    document = replace(document, not_computed={EVIL: EVIL}, failures=(failure,))
    cards = view_samples(records, error_rates.wer)
    odd = SampleView(id=EVIL, origin=EVIL, meta={EVIL: EVIL}, question=EVIL, target=EVIL, answer=EVIL,
                values=((EVIL, 1.0),), score=EVIL, errors=EVIL, note=EVIL)  # fmt: skip
    return document, [*cards, odd]


def test_every_text_is_escaped() -> None:
    page = render_report(*hostile())
    reader = read_page(page)
    assert reader.tags.count("script") == 1
    assert page.count("<script>") == 1
    assert "alert('x')" not in page
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert EVIL in "".join(reader.words)


def test_half_a_surrogate_pair_does_not_stop_the_page() -> None:
    render_report(make_transcripts(1)[0], [SampleView(id="\ud83d", answer="\udc00")]).encode()


# --- size -----------------------------------------------------------------------------


@pytest.mark.slow
def test_page_does_not_grow_with_the_number_of_samples() -> None:
    small, records = make_transcripts(100)
    large, more = make_transcripts(10_000)
    sizes = [
        len(render_report(document, view_samples(each, error_rates.wer)).encode())
        for document, each in ((small, records), (large, more))
    ]
    assert sizes[1] < 10_000_000
    assert sizes[1] < 1.1 * sizes[0]


@pytest.mark.thorough
def test_page_of_endless_texts_stays_under_ten_megabytes() -> None:
    answer = "&<>\"' " * 20_000
    records = [make_record(at, Generation(text=answer), target=answer[::-1]) for at in range(60)]
    page = render_report(build_run_metrics(records[:1], [error_rates.cer]), view_samples(records, error_rates.cer))
    assert len(page.encode()) < 4_000_000


def test_error_kinds_are_shown_with_the_rate() -> None:
    page = visible_text(render_report(make_transcripts(4)[0], []))
    assert "Substitutions" in page
    assert "Utterance mean" in page


def test_groups_of_a_field_share_a_table_and_subsets_come_first() -> None:
    page = visible_text(render_report(make_transcripts(12)[0], []))
    assert page.index("By subset") < page.index("By snr")


def test_a_field_with_one_value_gets_a_line() -> None:
    records = [make_record(at, Generation(text="one"), meta={"subset": "only"}) for at in range(3)]
    page = visible_text(render_report(build_run_metrics(records, [error_rates.wer]), []))
    assert "Every scored sample has subset only" in page
    assert "By subset" not in page


def test_a_long_breakdown_is_collapsed() -> None:
    records = [make_record(at, Generation(text="one"), meta={"speaker": at % 20}) for at in range(60)]
    page = render_report(build_run_metrics(records, [error_rates.wer]), [])
    assert "<summary>speaker: 20 groups</summary>" in page


def test_classes_are_shown_once_with_their_confusions() -> None:
    page = visible_text(render_report(make_classified(["cat", "dog", "emu"])[0], []))
    assert page.count("Results per class") == 1
    assert page.count("True against predicted classes") == 1
    assert "unreadable" not in matrix_words(page)


def test_the_unreadable_column_is_shown_only_if_it_has_values() -> None:
    page = visible_text(render_report(make_classified(["cat", "dog"], unreadable=2)[0], []))
    assert "2 answers could not be read: counted as wrong in Accuracy, UAR, Macro F1." in page
    assert "unreadable" in matrix_words(page)


def test_many_classes_are_shown_by_their_most_frequent_confusions() -> None:
    page = visible_text(render_report(make_classified([f"class{at:02d}" for at in range(40)])[0], []))
    assert "Most frequent confusions of 40 classes" in page
    assert "True against predicted" not in page


def test_the_policy_of_the_page_admits_its_own_script_and_style_only() -> None:
    document, records = make_transcripts(4)
    assert_policy_admits_only_the_page(render_report(document, view_samples(records, error_rates.wer)))
    assert_policy_admits_only_the_page(render_report(make_classified([EVIL, "dog"], unreadable=1)[0], []))


def test_labels_are_escaped() -> None:
    page = render_report(make_classified([EVIL, "dog"], unreadable=1)[0], [])
    assert read_page(page).tags.count("script") == 1


def test_worst_samples_show_their_alignment() -> None:
    document, records = make_transcripts(1)
    page = render_report(document, view_samples(records, error_rates.wer))
    assert '<span class="swap"><del>two</del><ins>too</ins></span>' in page
    assert "substituted" in page


def test_a_player_does_not_preload_audio() -> None:
    page = render_report(make_transcripts(1)[0], [SampleView(id="a", audio=(b"ID3",))])
    assert 'preload="none" src="data:audio/webm;base64,SUQz"' in page


def test_a_card_without_a_player_gives_the_reason() -> None:
    page = render_report(make_transcripts(1)[0], [SampleView(id="a", note=RIGHT_ANSWER_NOTE)])
    assert f'<p class="note" dir="auto">{RIGHT_ANSWER_NOTE}</p>' in page


def test_a_person_sees_the_figure_and_the_headline_metrics_first() -> None:
    _, records = make_classified(["angry", "happy", "sad"])
    metrics = [
        *(labels.accuracy, labels.uar, labels.macro_f1, labels.weighted_f1, labels.weighted_recall, labels.top2),
        *(labels.uar_all, labels.ece),
    ]
    document = build_run_metrics(records, metrics)
    page = render_report(document, view_samples(records, labels.accuracy))
    assert (
        page.index('<section id="classes"') < page.index('<section id="metrics"') < page.index('<details class="more"')
    )
    above, folded = page.split('<section id="metrics"')[1].split('<details class="more"')[:2]
    for number in document.overall:
        row = f"<bdi>{number.title}</bdi>"
        assert (row in above, row in folded) == (number in document.headlines, number in document.folded)
    assert len(document.headlines) == 3


def test_a_shared_question_is_shown_once() -> None:
    worst = [SampleView(id=name, question="What is audible?") for name in "abc"]
    page = render_report(make_transcripts(1)[0], worst)
    assert page.count("What is audible?") == 1
    assert "Question for all samples: What is audible?" in visible_text(page)


def test_different_questions_are_shown_with_their_samples() -> None:
    worst = [SampleView(id=name, question=f"What is {name}?") for name in "abc"]
    assert "What is b?" in visible_text(render_report(make_transcripts(1)[0], worst))


def test_page_shows_how_answers_were_read_and_bounds_for_the_unread() -> None:
    answers = ["guitar", "The answer is A.", "hm"]
    sample = Sample(id="", inputs={"choices": ["guitar", "piano"]}, target="A")
    records = [
        Record(sample=replace(sample, id=str(row)), row=row, outputs=(Generation(text=answer),))
        for row, answer in enumerate(answers)
    ]
    page = visible_text(render_report(build_run_metrics(records, [labels.option_accuracy]), []))
    assert "How answers were read Structure Marker Whole reply Statement Unread Refused" in page
    assert "Option accuracy 0 0.00 % 1 33.33 % 1 33.33 % 0 0.00 % 1 33.33 % 0 0.00 %" in page
    assert "66.67 if all unread answers were wrong, 100.00 if right" in page
    assert "If unread right – wrong" in page
    assert "100.00 – 66.67" in page
    assert "66.7 %" in page  # coverage


def test_recordings_of_meetings_are_listed_with_their_errors() -> None:
    record = Record(sample=make_sample("A 0 10\nB 8 20"), row=0, outputs=(make_answer("1 0 9\n2 9 21"),))
    section, (metrics, *_) = SECTIONS.get("recordings"), make_transcripts(1)
    content = section(Page(metrics, build_sample_views([record], None, {}), {}))
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", str(content))
    assert cells == ["13.64\u202f%", "2.00", "1.00", "0.00", "22.00", "2", "2"]
    assert section(Page(metrics, (), {})) is None
