"""The one place that knows every implementation: `read_settings`, then `build`, then a running server's `Services`."""

from glasshouse.bootstrap.build import build
from glasshouse.bootstrap.doctor import examine
from glasshouse.bootstrap.services import Services
from glasshouse.bootstrap.sources import data_directory_of, read_settings

__all__ = ["Services", "build", "data_directory_of", "examine", "read_settings"]
