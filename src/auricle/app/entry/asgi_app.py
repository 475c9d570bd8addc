"""Serve the app; Streamlit puts the folder of this file on the import path."""

from pathlib import Path

from streamlit.starlette import App

from auricle.app.access_token import build_middleware
from auricle.app.preload import preload_during_startup

app = App(Path(__file__).with_name("streamlit_app.py"), middleware=build_middleware(), lifespan=preload_during_startup)
