"""The resources of the API, as they are in JSON."""

from .generated.api_types import *  # noqa: F403 - all of them, and nothing else is in that module
