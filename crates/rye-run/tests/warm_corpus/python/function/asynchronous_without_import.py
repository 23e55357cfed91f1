async def execute(params, project_path):
    import sys
    return sorted(name for name in sys.modules if name.startswith("asyncio"))
