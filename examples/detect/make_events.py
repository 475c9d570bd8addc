"""Write recordings with artificial sounds, and `events.jsonl` with the times of each: python make_events.py data"""

import sys

from auricle.testing.sound_scenes import write_scenes

if __name__ == "__main__":
    write_scenes(sys.argv[1] if len(sys.argv) > 1 else "data")
