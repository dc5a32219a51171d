"""All uses of Reflex beyond its documented interface: private names, patches at run time, patches of generated files.

No other module imports or patches such parts (`tests/unit/web/reflex_internals/test_elsewhere.py`). Each module has a contract
test that fails with one sentence when Reflex changes; `docs/upgrading-reflex.md` says what to do then.
"""
