x = f"{f'{f"""{1}"""}'}"
y = f"{a:{b:{c}}}"
__version__ = t"{x}"
