"""What Streamlit is given to run. It stands alone in its folder, which becomes importable."""

from auricle.app.main import main

main()
