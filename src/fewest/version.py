"""The version, for code that writes it to files."""

__version__ = "0.1.0"
