"""`python -m fewest`."""

from fewest.cli import main

main()
