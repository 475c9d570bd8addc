"""The page that starts, stops and resumes runs and shows their results."""

from __future__ import annotations

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import JobManager, is_alive
from auricle.app.views import job_cards
from auricle.app.views.live_run import draw_live_run
from auricle.app.views.new_run import draw_new_run
from auricle.app.views.run_head import draw_run_head
from auricle.app.views.run_table import draw_run_table
from auricle.app.workspace import Workspace, check_run_file, current_workspace
from auricle.core.errors import AuricleError
from auricle.runs.run_summary import summarise_run


def page() -> None:
    """Draw the results of the run named in the URL, or else the jobs, the form and the table of runs."""
    workspace = current_workspace()
    navigation.sync_url("benchmark")
    if run_name := st.query_params.get("run"):
        _draw_results(workspace, run_name)
        return
    theme.draw_header("Benchmark", "Run a task on a model. Runs continue when you close this page.")
    job_cards.draw_job_cards(workspace)
    draw_new_run(workspace)
    draw_run_table("benchmark", "run")


def _draw_results(workspace: Workspace, run_name: str) -> None:
    from auricle.app.views.results import draw_results

    navigation.draw_page_link("benchmark", "All runs")
    try:
        path = workspace.resolve_run(run_name)
        run = summarise_run(workspace.root, path, check_run_file)
    except AuricleError:
        theme.draw_header("No such run")
        raise
    draw_run_head(run)
    jobs = JobManager(workspace)
    own_jobs = [job for job in jobs.list_jobs() if run_name in job.runs]
    job_cards.draw_job_cards(workspace, [job.name for job in own_jobs])
    if draw_live_run(path, can_stop=not any(map(is_alive, own_jobs))):
        draw_results(path)
