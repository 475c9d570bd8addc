"""Draw the app; Streamlit runs this script after every interaction."""

from auricle.app.main import main

main()
