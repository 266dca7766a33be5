"""Certificates: what proves an answer, in a file that anybody can check; `docs/certificates.md` has every byte.

`container` is the file, `carried` the puzzle in it, `rules_checker` plays what it says by the rules;
`make_plan` and `make_layers` write what the checkers read. Who makes is never asked by who checks.
"""
