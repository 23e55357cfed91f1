import warnings
warnings.warn("plain")
warnings.warn("old", DeprecationWarning)
warnings.warn("one up", stacklevel=2)
warnings.warn("two up", stacklevel=3)
print(len(warnings.filters), warnings.filters)


def function():
    warnings.warn("in a function", stacklevel=2)


function()
function()
import asyncio


async def never():
    pass


never()
