"""Asks one address again and again, from a process of its own; prints what it took."""

import asyncio
import json
import sys
import time

import aiohttp


async def _ask(
    session: aiohttp.ClientSession, url: str, tag: str, took: list[float], until: int
) -> None:
    headers = {"If-None-Match": tag} if tag else {}
    while len(took) < until:
        began = time.perf_counter()
        async with session.get(url, headers=headers) as answer:
            await answer.read()
            assert answer.status == (304 if tag else 200), answer.status
        took.append(time.perf_counter() - began)


async def _measure(url: str, count: int, at_once: int, tag: str) -> None:
    async with aiohttp.ClientSession() as session:
        await _ask(session, url, tag, [], at_once)
        took: list[float] = []
        began = time.perf_counter()
        await asyncio.gather(
            *(_ask(session, url, tag, took, count) for _ in range(at_once))
        )
        wall_s = time.perf_counter() - began
    took.sort()
    figures = {
        "per_s": len(took) / wall_s,
        "p50_ms": took[len(took) // 2] * 1000,
        "p99_ms": took[int(len(took) * 0.99)] * 1000,
    }
    sys.stdout.write(json.dumps(figures))


if __name__ == "__main__":
    asyncio.run(_measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
