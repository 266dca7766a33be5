"""The engines. Each engine is in its own file, which is imported on first use, and a registry lists all of them. Other
packages can add engines.
"""

from fewest.engines.registry import DEFAULT_ENGINE, ENGINES, Engine, engine_of, solve

__all__ = ["DEFAULT_ENGINE", "ENGINES", "Engine", "engine_of", "solve"]
