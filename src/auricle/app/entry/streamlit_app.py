"""Run the app; Streamlit puts the folder of this file on the import path."""

from auricle.app.main import main

main()
