import sqlite3
with sqlite3.connect(":memory:") as base:
    base.execute("create table t (a, b)")
    base.executemany("insert into t values (?, ?)", [(1, "x"), (2, "y")])
    print(base.execute("select sum(a), group_concat(b) from t").fetchall(), sqlite3.threadsafety)
