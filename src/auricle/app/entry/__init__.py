"""The script that Streamlit runs, apart from modules whose names are anybody's."""
