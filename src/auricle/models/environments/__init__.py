"""Virtual environments for models whose packages cannot live with others: named and kept."""

from auricle.models.environments.build import create as create
from auricle.models.environments.build import remove as remove
from auricle.models.environments.requirements import Block as Block
from auricle.models.environments.store import ENVIRONMENT as ENVIRONMENT
from auricle.models.environments.store import PYTHON as PYTHON
from auricle.models.environments.store import Environment as Environment
from auricle.models.environments.store import Home as Home
from auricle.models.environments.store import every as every
from auricle.models.environments.store import find as find
from auricle.models.environments.store import home_of as home_of
