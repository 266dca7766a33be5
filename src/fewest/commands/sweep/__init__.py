"""Sweeps over a family of puzzles or the levels of a collection: the solved members, the table of minima, and a closed
form if one fits.

`family` and `levels` create the query, `sweep` answers it, and `SweepFile` stores finished members. `read_sweep` opens
a folder that also records the query of a family; `read_query` reads this query, and `family_again` restores the family.
"""

from fewest.commands.sweep.batch import Member
from fewest.commands.sweep.checkpoint import (
    family_again,
    is_sweep_checkpoint,
    read_query,
    read_sweep,
)
from fewest.commands.sweep.family import Family, family
from fewest.commands.sweep.file import SweepFile
from fewest.commands.sweep.fits import Fit, fits
from fewest.commands.sweep.levels import Levels, levels
from fewest.commands.sweep.run import Sweep, sweep

__all__ = [
    "Family",
    "Fit",
    "Levels",
    "Member",
    "Sweep",
    "SweepFile",
    "family",
    "family_again",
    "fits",
    "is_sweep_checkpoint",
    "levels",
    "read_query",
    "read_sweep",
    "sweep",
]
