import asyncio


async def part(n):
    await asyncio.sleep(0.001 * n)
    return n


async def main():
    print(await asyncio.gather(*(part(n) for n in range(4))), asyncio.current_task().get_name())
    process = await asyncio.create_subprocess_exec("echo", "from a process", stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0], process.returncode)
    asyncio.create_task(part(1000))


asyncio.run(main())


async def fails():
    raise ValueError("in a coroutine")


asyncio.run(fails())
