"""HTML is escaped unless it is markup."""

from auricle.report.markup import Markup, tag


def test_plain_text_added_to_markup_is_escaped() -> None:
    assert tag("p", Markup("<b>") + "<i>") == "<p><b>&lt;i&gt;</p>"
