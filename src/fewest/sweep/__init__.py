"""A family of puzzles: every member solved, the table of minima, and a closed form where one fits.

`family` says what is asked, `sweep` answers it, and `SweepFile` keeps what is finished.
"""

from fewest.sweep.batch import Member
from fewest.sweep.family import Family, family
from fewest.sweep.file import SweepFile
from fewest.sweep.fits import Fit, fits
from fewest.sweep.levels import Levels, levels
from fewest.sweep.run import Sweep, sweep

__all__ = [
    "Family",
    "Fit",
    "Levels",
    "Member",
    "Sweep",
    "SweepFile",
    "family",
    "fits",
    "levels",
    "sweep",
]
