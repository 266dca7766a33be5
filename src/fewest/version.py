"""The version, for code that writes it into files."""

__version__ = "0.1.0"
