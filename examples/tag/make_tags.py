"""Write recordings with artificial sounds, and `tags.jsonl` with the labels of each: python make_tags.py data"""

import sys

from auricle.testing.sound_scenes import write_scenes

if __name__ == "__main__":
    write_scenes(sys.argv[1] if len(sys.argv) > 1 else "data")
