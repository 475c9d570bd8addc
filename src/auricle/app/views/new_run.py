"""The form for a new run: model, task or data with their own arguments, checks and the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from auricle.app import theme
from auricle.app.jobs import JobManager, slugify
from auricle.app.run_form import DATA_SUFFIXES, RunForm, describe_model_arguments, describe_task
from auricle.app.views.argument_fields import draw_arguments
from auricle.app.views.confirmation import confirm_origins
from auricle.app.views.model_menu import describe_model, find_entry, open_class_menu, open_model_menu
from auricle.app.views.path_picker import draw_browse_button
from auricle.app.workspace import Workspace
from auricle.core.arguments import Argument
from auricle.core.errors import AuricleError, SpecError
from auricle.engine.catalogue import TASK_KINDS, TASKS
from auricle.engine.dry_run import CheckLine
from auricle.engine.factory import display_name

MAX_FILES = 200
BUILT_IN_TASK, OWN_DATA, CLASS_IN_FILE = "Built-in task", "My data", "Class in a file"
MODEL_KEY, CLASS_KEY, CHECK_KEY = "bench-model", "bench-class", "bench-check"
DEFAULT_MODEL, DEFAULT_TASK = "moonshine", "demo"
CHECK_HELP = "Read the first samples and check the model and the settings, without starting."
CONDITIONS = (
    "noise:snr=20,10,0",
    "noise:snr=20,10,0,kind=babble",
    "reverb:t60=0.3,0.8",
    "codec:opus@6k",
    "band:telephone+codec:g711-mu",
    "loss:rate=0.05,0.2",
    "speed:factor=0.8,1.25",
)
"""Conditions to choose from; others can be entered."""
CONDITIONS_HELP = (
    "Also run the task under these conditions, each in a folder of its own. Others can be entered; "
    "`auricle list perturbations` lists all."
)
CHECK_ICONS = {True: ":green[:material/check:]", False: ":red[:material/close:]", None: ":gray[:material/info:]"}


def draw_new_run(workspace: Workspace) -> None:
    """Draw the form for a new run; not an `st.form`, because some fields depend on others."""
    with st.container(border=True, key="new-run"):
        st.header("New run", anchor=False)
        left, right = st.columns(2, gap="large")
        with left:
            model = draw_model_field()
        with right:
            form = _choose_task_or_data(workspace, RunForm(run_name="", model=model))
        form = _draw_argument_sections(workspace, form)
        form = replace(form, **_choose_settings())
        suggested_name = suggest_run_name(workspace, form.task or form.data, model)
        name = st.text_input("Run name", placeholder=suggested_name, key="bench-name", **theme.PERSIST_STATE)
        form = replace(form, run_name=name or suggested_name)
        if form.task or form.data:
            _draw_actions(workspace, form)
        else:
            st.button("Start", icon=":material/play_arrow:", disabled=True)


def draw_model_field() -> str:
    """Draw the chosen model as a button that opens the menu, and return its name."""
    model = str(st.session_state.setdefault(MODEL_KEY, DEFAULT_MODEL))
    label = f"Model: {theme.escape_markdown(display_name(model))}"
    options: Any = {"icon": ":material/unfold_more:", "icon_position": "right", "width": "stretch"}
    if st.button(label, key="bench-choose-model", help="Choose another model", **options):
        open_model_menu("bench-menu", _set_model)
    st.caption(theme.escape_markdown(describe_model(model)))
    return model


def _set_model(name: str) -> None:
    st.session_state[MODEL_KEY] = name


def _set_class(name: str) -> None:
    st.session_state[CLASS_KEY] = name


# --- task and data ------------------------------------------------------------------------------


def _choose_task_or_data(workspace: Workspace, form: RunForm) -> RunForm:
    """Return the form with a task, a class in a file, or a data file with the kind of its task."""
    sources: Any = {
        "options": (BUILT_IN_TASK, OWN_DATA, CLASS_IN_FILE),
        "default": BUILT_IN_TASK,
        "required": True,
        "label_visibility": "collapsed",
    }
    source = st.segmented_control("Data", **sources, key="bench-source", **theme.PERSIST_STATE)
    if source == OWN_DATA:
        return _choose_data(workspace, form)
    if source == CLASS_IN_FILE:
        return replace(form, task=_choose_class())
    tasks = [name for name in TASKS if name not in set(TASK_KINDS)]  # which need a data file
    task = st.selectbox("Task", tasks, tasks.index(DEFAULT_TASK), key="bench-task", **theme.PERSIST_STATE)
    st.caption(theme.escape_markdown(TASKS.summary(task)))
    return replace(form, task=task)


def _choose_data(workspace: Workspace, form: RunForm) -> RunForm:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        data = st.selectbox(
            "File", list_data_files(workspace), index=None, key="bench-data", **theme.PERSIST_STATE,
            accept_new_options=True,
            placeholder="JSONL, CSV, Parquet or a task's YAML",
            help="Must be in the runs folder or in a folder passed as `auricle ui --allow DIR`.",
        )  # fmt: skip
        draw_browse_button("bench-data", "a data file", DATA_SUFFIXES)
    kind = st.selectbox("Task kind", list(TASK_KINDS), key="bench-kind", **theme.PERSIST_STATE)
    return replace(form, data=data or "", kind=kind)


def _choose_class() -> str:
    name = str(st.session_state.get(CLASS_KEY) or "")
    label = f"Dataset: {theme.escape_markdown(display_name(name))}" if name else "Choose a dataset class"
    options: Any = {"icon": ":material/unfold_more:", "icon_position": "right", "width": "stretch"}
    if st.button(label, key="bench-choose-class", **options):
        open_class_menu("bench-dataset", "Choose a dataset class", list_class_prefixes(), _set_class)
    st.caption("A dataset class of an emotion suite (ser:) or of Kimi-Audio-Evalkit (kimi:), or a function that "
               "returns a Task.")  # fmt: skip
    return name


def list_class_prefixes() -> list[str]:
    """List the frameworks whose tasks are Python classes; those of lmms-eval are YAML files."""
    return [prefix for prefix in TASKS.prefixes() if prefix != "lmms"]


def list_data_files(workspace: Workspace) -> list[str]:
    """List data files in the allowed folders and their direct subfolders."""
    files: list[str] = []
    for folder in workspace.allowed_folders:
        for pattern in ("*", "*/*"):
            files += [str(path) for path in sorted(folder.glob(pattern)) if path.suffix.lower() in DATA_SUFFIXES]
    return files[:MAX_FILES]


# --- arguments ----------------------------------------------------------------------------------


def _draw_argument_sections(workspace: Workspace, form: RunForm) -> RunForm:
    """Draw the arguments of the task and of the model, and return the form with their values."""
    if form.task or form.data:
        described = _describe(lambda: describe_task(workspace, form))
        owner = form.task or form.kind
        values = draw_arguments(display_name(owner), described, f"bench-task-{owner}")
        form = replace(form, task_arguments=values)
    entry = find_entry(form.model)
    described = _describe(lambda: describe_model_arguments(workspace, form.model))
    suggestions = {"model": entry.checkpoints} if entry else {}
    values = draw_arguments(display_name(form.model), described, f"bench-model-{form.model}", suggestions)
    return replace(form, model_arguments=values)


def _describe(describe: Any) -> Sequence[Argument]:
    """Describe arguments; an error is shown below the form, with the others."""
    try:
        arguments: Sequence[Argument] = describe()
    except SpecError:
        return ()
    return arguments


def _choose_settings() -> dict[str, Any]:
    settings: dict[str, Any] = {}
    numbers = {"limit": "Sample limit", "concurrency": "Concurrency", "batch_size": "Maximum batch size"}
    for column, (name, title) in zip(st.columns(3, gap="large"), numbers.items(), strict=True):
        default: Any = {"value": None, "placeholder": "default", **theme.PERSIST_STATE}
        settings[name] = column.number_input(title, min_value=1, key=f"bench-{name}", **default)
    conditions = st.multiselect(
        "Conditions",
        CONDITIONS,
        accept_new_options=True,
        placeholder="none: only the recordings as they are",
        help=CONDITIONS_HELP,
        key="bench-perturb",
        **theme.PERSIST_STATE,
    )
    return {**settings, "perturb": tuple(conditions)}


# --- checks and start ---------------------------------------------------------------------------


def _draw_actions(workspace: Workspace, form: RunForm) -> None:
    """Draw what is wrong, or the command, and the buttons that check and start the run."""
    problem = form.find_problem(workspace)
    if problem:
        st.warning(theme.escape_markdown(problem), icon=":material/edit:")
    else:
        st.code(form.format_command(workspace), language="sh", wrap_lines=True)
    is_ready = not problem and confirm_origins(form.origins, key="bench")
    with st.container(horizontal=True):
        emphasis: Any = "primary" if is_ready else "secondary"  # a disabled primary button is not legible when dark
        starts = st.button("Start", type=emphasis, icon=":material/play_arrow:", disabled=not is_ready)
        checks = st.button("Check", icon=":material/rule:", disabled=not is_ready, help=CHECK_HELP)
    if is_ready and (starts or checks):
        _check_and_start(workspace, form, is_started=starts)
    stored_form, lines = st.session_state.get(CHECK_KEY, (None, ()))
    if stored_form == form:
        draw_check(lines)


def _check_and_start(workspace: Workspace, form: RunForm, *, is_started: bool) -> None:
    jobs = JobManager(workspace)
    try:
        with st.spinner("Checking the data, the model and the settings …"):
            lines = jobs.check(form)
        st.session_state[CHECK_KEY] = (form, lines)
        if not is_started or any(line.passed is False for line in lines):
            return
        jobs.start(form)
    except AuricleError as error:
        st.error(theme.escape_markdown(error), icon=":material/error:")
        return
    st.session_state.pop(CHECK_KEY)
    st.rerun()


def draw_check(lines: Sequence[CheckLine]) -> None:
    """Draw the results of a check, one per line."""
    for line in lines:
        st.markdown(f"{CHECK_ICONS[line.passed]} {theme.escape_markdown(line.text)}")


def suggest_run_name(workspace: Workspace, task_or_data: str, model: str) -> str:
    """Suggest a name that no run has yet."""
    stem = task_or_data.rpartition("/")[2].partition(".")[0]
    base_name = slugify(f"{stem}-{display_name(model)}", "run")
    name, number = base_name, 1
    while (workspace.root / name).exists():
        number += 1
        name = f"{base_name}-{number}"
    return name
