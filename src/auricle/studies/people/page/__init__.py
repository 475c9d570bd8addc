"""The page on which people take a listening test, and its server."""
