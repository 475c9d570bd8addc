"""The pages of the app, one per module; `page()` draws it."""
