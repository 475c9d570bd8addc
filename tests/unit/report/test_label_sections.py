"""Sections about labels: results per class and confusion matrices."""

from auricle.report.run_html import render_report
from tests.support.report_pages import EVIL, make_classified, matrix_words, read_page, visible_text


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


def test_labels_are_escaped() -> None:
    page = render_report(make_classified([EVIL, "dog"], unreadable=1)[0], [])
    assert read_page(page).tags.count("script") == 1
