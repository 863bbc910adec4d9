"""Directed graphs of files: strongly connected components without recursion, and the shortest chain between two."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping

Graph = Mapping[str, Collection[str]]
"""The files that each file leads to."""


def components(graph: Graph) -> dict[str, int]:
    """Return the number of the strongly connected component of every node (Tarjan's algorithm, with its own stack)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    component: dict[str, int] = {}
    path: list[str] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        path.append(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in graph:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    path.append(other)
                    work.append((other, iter(graph[other])))
                    break
                if other not in component:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    while node not in component:
                        component[path.pop()] = index[node]
    return component


def chain(graph: Graph, start: str, end: str) -> list[str]:
    """Return the shortest way from one node to another, both included; empty where there is none."""
    came: dict[str, str] = {start: start}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        if node == end:
            way = [node]
            while way[-1] != start:
                way.append(came[way[-1]])
            return way[::-1]
        for other in sorted(graph.get(node, ())):
            if other not in came:
                came[other] = node
                waiting.append(other)
    return []
