"""Ask before anything is sent to a server whose URL was entered in a form."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st


@st.cache_resource(show_spinner=False)
def confirmed_origins() -> set[str]:
    """Return the servers that were confirmed since the app was started."""
    return set()


def confirm_origins(origins: Iterable[str], key: str) -> bool:
    """Draw a question for each server that was not confirmed before; return whether all are confirmed."""
    confirmed = confirmed_origins()
    unconfirmed = [origin for origin in origins if origin not in confirmed]
    for origin in unconfirmed:
        server = f"`{origin.replace('`', '')}`"  # as code, because Markdown makes a link of a URL
        question = f"Audio, prompts and the API key of the model will be sent to {server}. Is this the server you mean?"
        st.warning(question, icon=":material/public:")
        if st.button(f"Allow requests to {server}", key=f"{key}-confirm-{origin}"):
            confirmed.add(origin)
            st.rerun()
    return not unconfirmed
