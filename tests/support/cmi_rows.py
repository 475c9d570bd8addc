"""A row of CMI-RewardBench."""

ARENA = {
    "audio-path": "MusicArena_data/audio_files/01-2025JULAUG/x-a.wav",
    "audio2": "MusicArena_data/audio_files/01-2025JULAUG/x-b.wav",
    "prompt": "a waltz",
    "preference": "B",
    "source": "Music Arena ['01-2025JULAUG']",
    "split": "test",
}
