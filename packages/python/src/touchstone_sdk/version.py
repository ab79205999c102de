"""Version of this package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("touchstone-sdk")
except PackageNotFoundError:  # pragma: no cover - run from its sources, without being installed
    VERSION = "0"
