"""Serve the app; Streamlit puts the folder of this file on the import path."""

from pathlib import Path

from streamlit.starlette import App

from auricle.app.access_token import build_middleware

app = App(Path(__file__).with_name("streamlit_app.py"), middleware=build_middleware())
