type A[T: int = str, *Ts, **P] = T
def f[T](a, /, *, b: T) -> T: ...
async def g():
    async with a as b, c: yield await d
try: pass
except* E: pass
@a.b[c]
class D[T](E): x: int = 1
