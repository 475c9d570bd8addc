"""Scripts that Streamlit runs, separate from modules with common names such as `pages`."""
