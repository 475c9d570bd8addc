"""Virtual environments for models whose packages cannot live with others: named and kept."""

from auricle.environments.block import Block as Block
from auricle.environments.build import create as create
from auricle.environments.build import remove as remove
from auricle.environments.kept import ENVIRONMENT as ENVIRONMENT
from auricle.environments.kept import PYTHON as PYTHON
from auricle.environments.kept import Environment as Environment
from auricle.environments.kept import Home as Home
from auricle.environments.kept import every as every
from auricle.environments.kept import find as find
from auricle.environments.kept import home_of as home_of
