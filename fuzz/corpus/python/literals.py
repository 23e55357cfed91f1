"""Doc.

More \N{BULLET} text.
"""
__version__ = "1." "2" '.3'
__tool_type__: str = "python"
__executor_id__ = None
__category__ = r"a\b" u"c"
__tags__ = ("a", "b",) 
CONFIG = {"a": [1, -2, 3.5, 1e10, 0x1f, 0b1, 1_000, None, True], "b": {"c": {1, 2}}, 3: b"x", "d": ...}
CONFIG_SCHEMA = dict(a=1)
ENV_CONFIG = {**CONFIG, "x": 1 + 2}
ANCHOR = [*CONFIG]
__description__ = f"{CONFIG!r:>{10}}"
