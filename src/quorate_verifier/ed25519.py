"""Ed25519 signatures after RFC 8032, checking only: nothing secret comes here, so nothing has to be fast or hidden."""

from __future__ import annotations

from hashlib import sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)
"""A square root of -1."""

Point = tuple[int, int, int, int]
"""x, y, z and t with x/z, y/z on the curve and t = xy/z."""


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number: int, point: Point) -> Point:
    made: Point = (0, 1, 1, 0)
    while number:
        if number & 1:
            made = _add(made, point)
        point, number = _add(point, point), number >> 1
    return made


def _equal(one: Point, other: Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def _point(encoded: bytes) -> Point | None:
    """Decode a point; None for what encodes none (RFC 8032, 5.1.3)."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


_base = _point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
assert _base is not None
BASE: Point = _base


def _has_small_order(point: Point) -> bool:
    """Whether eight times the point is the neutral one: then it is one of eight that no secret leads to."""
    return _equal(_times(8, point), (0, 1, 1, 0))


def sound(key: bytes) -> bool:
    """Return whether a key is a point that only the holder of a secret can sign for; those of small order are not."""
    point = _point(key) if len(key) == 32 else None
    return point is not None and not _has_small_order(point)


def signed(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether `signature` was made over the message with the secret half of the public key (5.1.7).

    Stricter than the RFC: neither the key nor the commitment may be of small order, for with such a key anybody can
    make signatures that hold.
    """
    if len(key) != 32 or len(signature) != 64:
        return False
    public, commitment = _point(key), _point(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if public is None or commitment is None or answer >= ORDER:
        return False
    if _has_small_order(public) or _has_small_order(commitment):
        return False
    challenge = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return _equal(_times(answer, BASE), _add(commitment, _times(challenge, public)))
