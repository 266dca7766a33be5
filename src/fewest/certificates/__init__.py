"""Certificates: proofs of answers in files that anybody can check; `docs/certificates.md` specifies every byte.

`container` is the file format, `embedded_puzzle` the puzzle in a file, `rules_checker` plays a certificate by
the rules; `make_plan` and `make_layers` write what the checkers read. A checker never uses the code of a
maker.
"""
