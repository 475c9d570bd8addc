"""The app: looks at runs, starts one through the command line, and lets people try a model."""
