"""Named virtual environments for models whose packages conflict with others."""

from auricle.models.environments.build import create as create
from auricle.models.environments.build import remove as remove
from auricle.models.environments.spec import EnvironmentSpec as EnvironmentSpec
from auricle.models.environments.store import ENVIRONMENT_ARGUMENT as ENVIRONMENT_ARGUMENT
from auricle.models.environments.store import PYTHON_ARGUMENT as PYTHON_ARGUMENT
from auricle.models.environments.store import Environment as Environment
from auricle.models.environments.store import Interpreter as Interpreter
from auricle.models.environments.store import all_environments as all_environments
from auricle.models.environments.store import find as find
from auricle.models.environments.store import resolve_interpreter as resolve_interpreter
