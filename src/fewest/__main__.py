"""`python -m fewest`."""

from fewest.cli import main

if __name__ == "__main__":  # processes that a command starts may import this file again
    main()
