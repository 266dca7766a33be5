"""A family of puzzles: every member solved, the table of minima, and a closed form where one fits.

`family` says what is asked, `sweep` answers it, and `SweepFile` keeps what is finished.
"""

from fewest.sweep.family import Family, Member, family
from fewest.sweep.file import SweepFile
from fewest.sweep.fits import Fit, fits
from fewest.sweep.run import Sweep, sweep

__all__ = ["Family", "Fit", "Member", "Sweep", "SweepFile", "family", "fits", "sweep"]
