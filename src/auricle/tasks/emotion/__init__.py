"""Speech-emotion corpora, read from the folders people have; one short file each."""
