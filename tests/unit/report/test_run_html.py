"""The page: complete, escaped, of bounded size, and honest when there is little to show."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from auricle.core.types import Failure, Generation, Prediction, Record, Sample
from auricle.metrics import labels, text
from auricle.metrics.base import metric
from auricle.report.html_format import Scale
from auricle.report.markup import Markup, tag
from auricle.report.metrics_document import build_document
from auricle.report.run_html import render_report
from auricle.report.sample_cards import join_tokens
from auricle.report.sample_view import RIGHT_ANSWER_NOTE, SampleView, build_sample_views
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise

EVIL = "<script>alert('x')</script>\"&"


class Reader(HTMLParser):
    """Collects what a browser would see, and refuses tags that do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.attributes, self.words, self._open = [], [], [], []

    def handle_starttag(self, name: Any, attributes: Any) -> None:
        self.tags.append(name)
        self.attributes += attributes
        if name not in ("meta", "input"):
            self._open.append(name)

    def handle_endtag(self, name: Any) -> None:
        assert self._open.pop() == name

    def handle_data(self, data: Any) -> None:
        if self._open and self._open[-1] not in ("script", "style"):
            self.words.append(data)


def read(page: Any) -> Any:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader._open == []
    return reader


def words(page: Any) -> Any:
    return re.sub(r"\s+", " ", " ".join(read(page).words).replace("\u202f", " "))


def about(**more: Any) -> Any:
    task = {"name": "mine", "version": 1, "language": "en", "licence": "CC0", "source": "m.jsonl",
            "revision": "71cacbf", "cluster": ""}  # fmt: skip
    model = {"name": "echo", "arguments": {"beam": 5}}
    return {"task": task, "model": model, "auricle": "0.1.0", "complete": True, "rows": 3,
            "created": "2026-08-14T10:22:31+00:00", **more}  # fmt: skip


def made(records: Any, metrics: Any, **more: Any) -> Any:
    board = ScoreTable(metrics)
    list(score_records(records, board))
    return build_document(about(**more), board, summarise(board, "mine:1", "echo"))


def record(at: Any, output: Any, target: str = "one two three", meta: Any = None) -> Any:
    ended = {"error": output} if isinstance(output, Failure) else {"outputs": (output,)}
    sample = Sample(id=f"s{at}", inputs={}, target=target, meta=meta or {}, origin=f"m.jsonl:{at}")
    return Record(sample=sample, row=at, **ended)


def transcripts(size: Any, failed: int = 0, **more: Any) -> Any:
    records = [
        record(at, Generation(text="one too three"), meta={"subset": "ab"[at % 2], "snr": at % 3}) for at in range(size)
    ]
    records += [record(size + at, Failure("Timeout", "too late")) for at in range(failed)]
    return made(records, [text.wer, text.cer], **more), records


def test_page_tells_the_number_its_interval_and_its_coverage() -> None:
    page = words(render_report(transcripts(12)[0], []))
    assert "33.33 %" in page
    assert "95 % interval" in page
    assert "100 %" in page
    assert "lower is better" in page
    assert "14 August 2026, 10:22 UTC by auricle 0.1.0" in page
    assert "mine:1|wer:1.pooled.basic" in page


def test_page_fetches_nothing() -> None:
    found, records = transcripts(4)
    reader = read(render_report(found, build_sample_views(records, text.wer)))
    assert not {"link", "img", "iframe", "base", "object"} & set(reader.tags)
    addresses = [value for name, value in reader.attributes if name in ("src", "href", "action")]
    assert all(value.startswith(("#", "data:")) for value in addresses)
    policy = next(v for _, v in reader.attributes if v and v.startswith("default-src"))
    assert "default-src 'none'" in policy
    assert "url(" not in render_report(found, [])
    assert "@import" not in render_report(found, [])


def test_unfinished_run_says_so() -> None:
    page = words(render_report(transcripts(4, complete=False, rows=40)[0], []))
    assert "not finished: it has 4 of 40 samples" in page


def test_unfinished_run_of_unknown_length_says_so() -> None:
    page = words(render_report(transcripts(4, complete=False, rows=None)[0], []))
    assert "not finished: it has 4 samples" in page


def test_failures_are_told_with_both_bounds() -> None:
    page = words(render_report(transcripts(4, failed=1)[0], []))
    assert "1 sample of 5 failed and is left out." in page
    assert "26.67 %; if worst, 46.67 %" in page
    assert "Timeout" in page
    assert "too late" in page


def test_error_kinds_stand_beside_the_rate() -> None:
    page = words(render_report(transcripts(4)[0], []))
    assert "Substitutions" in page
    assert "Utterance mean" in page


def test_groups_of_a_field_stand_in_one_table_subsets_first() -> None:
    page = words(render_report(transcripts(12)[0], []))
    assert page.index("By subset") < page.index("By snr")


def test_field_with_one_value_is_told_in_a_line() -> None:
    records = [record(at, Generation(text="one"), meta={"subset": "only"}) for at in range(3)]
    page = words(render_report(made(records, [text.wer]), []))
    assert "Every scored sample has subset only" in page
    assert "By subset" not in page


def test_long_breakdown_is_folded() -> None:
    records = [record(at, Generation(text="one"), meta={"speaker": at % 20}) for at in range(60)]
    page = render_report(made(records, [text.wer]), [])
    assert "<summary>speaker: 20 groups</summary>" in page


def test_empty_run_has_a_page() -> None:
    page = words(render_report(made([], [text.wer]), []))
    assert "No number" in page
    assert "No sample has been answered yet" in page


def test_run_in_which_everything_failed_has_a_page() -> None:
    page = words(render_report(transcripts(0, failed=3)[0], []))
    assert "Every sample failed" in page
    assert "Timeout" in page


def test_undefined_number_is_a_dash() -> None:
    page = words(render_report(made([record(0, Generation(text="x"), target="")], [text.wer]), []))
    assert "nan" not in page.lower().split()
    assert "no interval" in page


def test_refused_metric_is_told() -> None:
    dimensions = Prediction(values={"arousal": 0.1}, scale="continuous")
    page = words(render_report(made([record(0, dimensions)], [labels.uar]), []))
    assert "UAR was not computed: needs class scores" in page


def test_own_metric_is_left_in_its_own_unit() -> None:
    @metric()
    def loudness(sample: Any, output: Any) -> Any:
        return 0.5

    page = words(render_report(made([record(0, Generation(text="x"))], [loudness]), []))
    assert "0.5000" in page
    assert "50.00 %" not in page


def classified(names: Any, unreadable: int = 0) -> Any:
    records = []
    for at in range(4 * len(names)):
        said = names[(at * at) % len(names)]
        output = Prediction(values={said: 0.9, names[0]: 0.1}, scale="probability")
        records.append(record(at, output, target=names[at % len(names)]))
    for at in range(unreadable):
        records.append(record(1000 + at, Generation(text="no idea"), target=names[0]))
    return made(records, [labels.accuracy, labels.uar, labels.macro_f1]), records


def matrix(page: Any) -> Any:
    """The words of the confusion matrix."""
    return page.partition("Confusion matrix:")[2].partition("True against")[0].split()


def test_classes_are_shown_once_with_their_confusions() -> None:
    page = words(render_report(classified(["cat", "dog", "emu"])[0], []))
    assert page.count("Results per class") == 1
    assert page.count("True against predicted classes") == 1
    assert "unreadable" not in matrix(page)


def test_unreadable_column_is_shown_when_something_stands_in_it() -> None:
    page = words(render_report(classified(["cat", "dog"], unreadable=2)[0], []))
    assert "2 answers could not be read: counted as wrong in Accuracy, UAR, Macro F1." in page
    assert "unreadable" in matrix(page)


def test_many_classes_are_shown_by_their_most_frequent_confusions() -> None:
    page = words(render_report(classified([f"class{at:02d}" for at in range(40)])[0], []))
    assert "Most frequent confusions of 40 classes" in page
    assert "True against predicted" not in page


def test_worst_samples_show_their_alignment() -> None:
    found, records = transcripts(1)
    page = render_report(found, build_sample_views(records, text.wer))
    assert '<span class="swap"><del>two</del><ins>too</ins></span>' in page
    assert "substituted" in page


def test_sound_is_a_player_that_loads_nothing_by_itself() -> None:
    page = render_report(transcripts(1)[0], [SampleView(id="a", audio=(b"ID3",))])
    assert 'preload="none" src="data:audio/mpeg;base64,SUQz"' in page


def test_a_card_without_a_player_says_why() -> None:
    page = render_report(transcripts(1)[0], [SampleView(id="a", note=RIGHT_ANSWER_NOTE)])
    assert f'<p class="note" dir="auto">{RIGHT_ANSWER_NOTE}</p>' in page


def test_speed_is_told_and_explained() -> None:
    speed = {"wall_seconds": 118.0, "samples": 4, "samples_per_second": 0.03, "rtfx": 41.32,
             "audio_seconds": 4875.0, "passes": 1}  # fmt: skip
    page = render_report(transcripts(4)[0] | {"speed": speed}, [])
    assert "Wall time 118 s RTFx 41.3" in words(page)
    assert words(page).count("Audio seconds answered per second of wall time") == 1
    assert '<div title="Audio seconds answered per second of wall time' in page


def test_unknown_speed_is_not_told() -> None:
    page = words(render_report(transcripts(4)[0] | {"speed": None}, []))
    assert "RTFx" not in page
    assert "Wall time" not in page


def test_shared_question_is_shown_once() -> None:
    worst = [SampleView(id=name, question="What is said?") for name in "abc"]
    assert render_report(transcripts(1)[0], worst).count("What is said?") == 1


def test_questions_that_differ_are_shown_with_their_samples() -> None:
    worst = [SampleView(id=name, question=f"What is {name}?") for name in "abc"]
    assert "What is b?" in words(render_report(transcripts(1)[0], worst))


@pytest.mark.parametrize(
    ("tokens", "expected"), [(["turn", "it", "on"], "turn it on"), (["打", "开", "the", "灯"], "打开 the 灯")]
)
def test_scripts_without_spaces_are_joined_without(tokens: Any, expected: str) -> None:
    assert join_tokens(tokens, by_character=False) == expected


# --- escaping -------------------------------------------------------------------------


def hostile() -> Any:
    """A run in which every text a stranger may write is an attack."""
    meta = {EVIL: EVIL, "subset": EVIL, "other": EVIL + "2"}
    records = [
        record(0, Generation(text=EVIL), target=EVIL + "1", meta=meta),
        record(1, Generation(text=EVIL), target=EVIL, meta={**meta, "subset": "b", "other": "3"}),
        record(2, Failure(EVIL, EVIL), meta=meta),
    ]

    @metric(name=EVIL)
    def own(sample: Any, output: Any) -> Any:
        return 1.0

    @metric()
    def failing(sample: Any, output: Any) -> None:
        raise ValueError(EVIL)

    task = dict.fromkeys(about()["task"], EVIL)
    model = {"name": EVIL, "arguments": {EVIL: EVIL}}
    found = made(records, [own, failing, labels.uar, text.wer], task=task, model=model, created=EVIL, auricle=EVIL)
    found["refused"] = {EVIL: EVIL}
    found["failures"][0]["examples"][0].update(id=EVIL, origin=EVIL)
    cards = build_sample_views(records, text.wer)
    odd = SampleView(id=EVIL, origin=EVIL, meta={EVIL: EVIL}, question=EVIL, target=EVIL, answer=EVIL,
                values=((EVIL, 1.0),), score=EVIL, errors=EVIL, note=EVIL)  # fmt: skip
    return found, [*cards, odd]


def test_every_text_is_escaped() -> None:
    page = render_report(*hostile())
    reader = read(page)
    assert reader.tags.count("script") == 1
    assert page.count("<script>") == 1
    assert "alert('x')" not in page
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert EVIL in "".join(reader.words)


def test_labels_are_escaped() -> None:
    page = render_report(classified([EVIL, "dog"], unreadable=1)[0], [])
    assert read(page).tags.count("script") == 1


def test_plain_text_added_to_markup_is_escaped_again() -> None:
    assert tag("p", Markup("<b>") + "<i>") == "<p>&lt;b&gt;&lt;i&gt;</p>"


def test_half_a_surrogate_pair_does_not_stop_the_page() -> None:
    render_report(transcripts(1)[0], [SampleView(id="\ud83d", answer="\udc00")]).encode()


# --- size -----------------------------------------------------------------------------


def test_page_does_not_grow_with_the_number_of_samples() -> None:
    small, records = transcripts(100)
    large, more = transcripts(10_000)
    sizes = [
        len(render_report(found, build_sample_views(each, text.wer)).encode())
        for found, each in ((small, records), (large, more))
    ]
    assert sizes[1] < 10_000_000
    assert sizes[1] < 1.1 * sizes[0]


def test_page_of_endless_texts_stays_under_ten_megabytes() -> None:
    answer = "&<>\"' " * 20_000
    records = [record(at, Generation(text=answer), target=answer[::-1]) for at in range(60)]
    page = render_report(made(records[:1], [text.cer]), build_sample_views(records, text.cer))
    assert len(page.encode()) < 4_000_000


# --- scales ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.12, 0.31], (0.0, 0.4)),
        ([0.91, 0.95], (0.91, 0.95)),
        ([0.5], (0.4, 0.6)),
        ([-3.0, 2.0], (-4.0, 2.0)),
        ([], (0.0, 1.0)),
        ([None, float("nan"), float("inf")], (0.0, 1.0)),
        ([0.0], (0.0, 0.5)),
    ],
)
def test_scale_has_round_ends_around_its_values(values: Any, ends: Any) -> None:
    scale = Scale.fit(values)
    assert (scale.low, scale.high) == pytest.approx(ends)
