"""Label the replies that were drawn to check how answers were read."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from markupsafe import Markup

from auricle.app import run_data
from auricle.app.theme import escape_markdown
from auricle.app.views import components
from auricle.app.workspace import current_workspace
from auricle.report.text_format import format_reading, truncate
from auricle.runs.metrics import Metrics
from auricle.studies.readings.document import Audit, AuditItem, AuditLabel, write_audit
from auricle.studies.readings.report import describe_reply

BUTTONS = {
    AuditLabel.RIGHT: (":material/check:", "The reply gives this answer, whether or not it is correct."),
    AuditLabel.WRONG: (":material/close:", "The reply gives another answer, or none."),
    AuditLabel.OTHER: (":material/question_mark:", "It cannot be decided; the reply is left out."),
}


def draw_audit(path: Path, metrics: Metrics, key: str) -> None:
    """Draw the replies of an audit with buttons for labels; without an audit, the command that starts one."""
    if not any(number.readings for number in metrics.overall):
        return
    with st.expander("Check how answers were read", icon=":material/rule:"):
        audit = run_data.load_audit(path)
        if audit is None:
            command = f"auricle audit {current_workspace().run_name(path)}"
            components.draw_notes(f"Run `{command}` to draw replies. They can be labelled here or in a CSV sheet.")
            return
        components.draw_notes((metrics.extras["audit"] or audit.summarise()).describe())
        if audit.items:
            _draw_item(path, audit, f"{key}-audit")


def _draw_item(path: Path, audit: Audit, key: str) -> None:
    """Draw one reply: the first without a label, or the one that the user chose."""
    unlabelled = [number for number, item in enumerate(audit.items, 1) if not item.label]
    if key not in st.session_state:
        st.session_state[key] = unlabelled[0] if unlabelled else 1
    number = st.number_input(f"Reply of {len(audit.items)}", 1, len(audit.items), key=key)
    item = audit.items[int(number) - 1]
    components.draw_markup(components.build_definition_list(_describe_item(path, item)))
    with st.container(horizontal=True):
        for label, (icon, explanation) in BUTTONS.items():
            st.button(
                label.capitalize(),
                f"{key}-{label}",
                explanation,
                _store_label,
                (path, item.id, label, key),
                type="primary" if item.label == label else "secondary",
                icon=icon,
            )


def _describe_item(path: Path, item: AuditItem) -> list[tuple[str, str]]:
    """Return the names and texts that are shown about a reply."""
    frame = run_data.load_samples(path).frame
    offsets = frame.loc[frame["id"] == item.id, "offset"]
    if not len(offsets):
        return [("Sample", item.id), ("Reply", "no longer in the run")]
    question, options, reply = describe_reply(run_data.load_record(path, int(offsets.iloc[0])))
    texts = [("Sample", item.id), ("Question", question), ("Options", options), ("Reply", reply)]
    read = Markup("<strong>{}</strong> ({})").format(item.value or "no answer", format_reading(item.reading))
    return [*((name, truncate(text)) for name, text in texts if text), ("Read as", read)]


def _store_label(path: Path, sample_id: str, label: AuditLabel, key: str) -> None:
    """Store a label and go on to the next reply without one."""
    audit = run_data.load_audit(path)  # another session may have labelled replies meanwhile
    if audit is None:
        return
    audit = audit.with_labels({sample_id: label.value})
    try:
        write_audit(path, audit)
    except OSError as error:
        st.error(escape_markdown(f"The label cannot be stored: {error}."), icon=":material/error:")
        return
    current = int(st.session_state[key])
    unlabelled = [number for number, item in enumerate(audit.items, 1) if not item.label]
    later = [number for number in unlabelled if number > current]
    st.session_state[key] = next(iter([*later, *unlabelled]), current)
