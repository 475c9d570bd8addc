"""What Streamlit is given to run. It stands alone in its folder, which becomes importable."""

from auricle.ui.app import main

main()
