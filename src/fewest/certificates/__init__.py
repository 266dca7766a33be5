"""Certificates: files that prove answers and that anyone can check; `docs/certificates.md` specifies every byte.

`container` defines the file format and `embedded_puzzle` reads the puzzle in a file. `rules_checker` checks plans and
layers with the interpreter of the rules; the other checkers (`*_checker`) also rely on the grounder. The modules
`make_*` write the sections that the checkers read. No checker uses the code of a maker.
"""
