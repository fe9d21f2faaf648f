"""The order in which a product of many tensors is computed two at a time: greedily, so that little memory is used.

TensorFlow asks the package opt_einsum; the graph depends on its choices, so they are made by the same rules. First
operands with the same labels are multiplied. Then the pair whose product is smallest, measured against its two
factors, goes first (ties: the pair that was made earlier). Last come products of what shares no label, small ones
first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

Labels = frozenset[str]


def contraction_steps(
    labels: list[str], output: str, sizes: dict[str, int]
) -> Iterator[tuple[list[int], list[str], str]]:
    """For each product: the places of its operands in the list of what is left (removed from the back on; the product
    is added to the end), their labels, and the product's labels."""
    operands = list(labels)
    steps = _places(_greedy([frozenset(names) for names in labels], frozenset(output), sizes))
    for number, places in enumerate(steps):
        ordered = sorted(places, reverse=True)
        chosen = [operands.pop(place) for place in ordered]
        if number == len(steps) - 1:
            result = output
        else:
            needed = set(output).union(*operands)
            names = "".join(chosen)
            result = "".join(sorted(set(names) & needed, key=names.find))
        operands.append(result)
        yield ordered, chosen, result


def _size(labels: Labels, sizes: dict[str, int]) -> int:
    size = 1
    for name in labels:
        size *= sizes[name]
    return size


class _Search:
    """The operands that are left, by their labels, and the pairs worth a try."""

    def __init__(self, operands: list[Labels], output: Labels, sizes: dict[str, int]) -> None:
        self.sizes = sizes
        self.output = output | frozenset.intersection(*operands)
        self.next_id = len(operands)
        self.path: list[tuple[int, int]] = []
        self.left: dict[Labels, int] = {}
        self.queue: list[tuple[tuple[int, int, int], list[str], Any]] = []
        for number, labels in enumerate(operands):
            if labels in self.left:
                self._combine(self.left[labels], number, labels)
            else:
                self.left[labels] = number
        self.users: dict[str, set[Labels]] = {}
        for labels in self.left:
            for name in labels - self.output:
                self.users.setdefault(name, set()).add(labels)
        self.shared = {count: self._used_by(count) for count in (2, 3)}
        self.footprints = {labels: _size(labels, sizes) for labels in self.left}

    def _used_by(self, count: int) -> set[str]:
        return {name for name, users in self.users.items() if len(users) >= count} - self.output

    def _combine(self, first: int, second: int, labels: Labels) -> None:
        self.path.append((first, second))
        self.left[labels] = self.next_id
        self.next_id += 1

    def product(self, a: Labels, b: Labels) -> Labels:
        both = a & b
        return frozenset(((a | b) & self.output) | (both & self.shared[3]) | (((a | b) - both) & self.shared[2]))

    def propose(self, a: Labels, others: list[Labels]) -> None:
        """Puts the best of the pairs of `a` with another into the queue."""
        best: Any = None
        for b in others:
            product = self.product(a, b)
            gain = _size(product, self.sizes) - self.footprints[a] - self.footprints[b]
            first, second = (a, b) if self.left[a] <= self.left[b] else (b, a)
            rank = (gain, self.left[second], self.left[first])
            if best is None or rank < best[0]:
                best = (rank, (first, second, product))
        heapq.heappush(self.queue, (best[0], [], best[1]))

    def take(self, a: Labels, b: Labels, product: Labels) -> None:
        """Multiplies two operands, and proposes pairs of the product."""
        first, second = self.left.pop(a), self.left.pop(b)
        for labels in (a, b):
            for name in labels - self.output:
                self.users[name].discard(labels)
        self.path.append((first, second))
        if product in self.left:
            self.path.append((self.left[product], self.next_id))
            self.next_id += 1
        for name in product - self.output:
            self.users.setdefault(name, set()).add(product)
        self.left[product] = self.next_id
        self.next_id += 1
        for name in (a | b) - self.output:
            for count in (2, 3):
                (self.shared[count].add if len(self.users[name]) >= count else self.shared[count].discard)(name)
        self.footprints[product] = _size(product, self.sizes)
        others = {labels for name in product - self.output for labels in self.users[name]} - {product}
        if others:
            self.propose(product, list(others))


def _greedy(operands: list[Labels], output: Labels, sizes: dict[str, int]) -> list[tuple[int, int]]:
    """Pairs of operand numbers; each product gets the next number."""
    search = _Search(operands, output, sizes)
    for users in list(search.users.values()):
        ordered = sorted(users, key=search.left.__getitem__)
        for i, labels in enumerate(ordered[:-1]):
            search.propose(labels, ordered[i + 1 :])
    while search.queue:
        _, _, (a, b, product) = heapq.heappop(search.queue)
        if a in search.left and b in search.left:
            search.take(a, b, product)
    last = [(_size(labels & search.output, sizes), number, sorted(labels)) for labels, number in search.left.items()]
    heapq.heapify(last)
    _, number, names = heapq.heappop(last)
    while last:
        _, other, more = heapq.heappop(last)
        search.path.append((min(number, other), max(number, other)))
        product = (frozenset(names) | frozenset(more)) & search.output
        made = (_size(product, sizes), search.next_id, sorted(product))
        search.next_id += 1
        _, number, names = heapq.heappushpop(last, made)
    return search.path


def _places(path: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Numbers that are never used again become places in the list of what is left."""
    if not path:
        return []
    places = list(range(1 + max(max(pair) for pair in path)))
    result = []
    for pair in path:
        result.append(tuple(places[number] for number in pair))
        for number in pair:
            for later in range(number, len(places)):
                places[later] -= 1
    return result
