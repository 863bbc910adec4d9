"""Ed25519: the vectors of RFC 8032, section 7.1, agreement with another implementation, and keys that are none."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha512
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate_verifier.ed25519 import BASE, ORDER, D, P, signed, sound
from quorate_verifier.reading import Unreadable
from quorate_verifier.signature import read_key
from tests.support.examples import few

ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")

VECTORS = [  # public key, message, signature
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        sha512(b"abc").hexdigest(),
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
]


def _affine_sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Add two points by the curve's own equation (RFC 8032, 5.1), not by the verifier's formulas."""
    (a, b), (c, d) = one, other
    shared = D * a * b * c * d % P
    return (a * d + b * c) * pow(1 + shared, -1, P) % P, (b * d + a * c) * pow(1 - shared, -1, P) % P


def _affine_times(number: int, point: tuple[int, int]) -> tuple[int, int]:
    made = (0, 1)
    for bit in bin(number)[2:]:
        made = _affine_sum(made, made)
        made = _affine_sum(made, point) if bit == "1" else made
    return made


def _encoded(point: tuple[int, int]) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def _torsion() -> set[tuple[int, int]]:
    """The eight points whose order divides eight: ORDER times any point of the curve is one of them."""
    found: set[tuple[int, int]] = set()
    y = 2
    while len(found) < 8:
        square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        if pow(square, (P - 1) // 2, P) == 1:
            root = pow(square, (P + 3) // 8, P)
            x = root if root * root % P == square else root * pow(2, (P - 1) // 4, P) % P
            low = _affine_times(ORDER, (x, y))
            found |= {_affine_times(number, low) for number in range(8)}
        y += 1
    return found


def _encodings() -> list[bytes]:
    """Every way to write the eight points: either sign where x is 0, and y + P where that fits into 255 bits."""
    made: set[bytes] = set()
    for x, y in _torsion():
        for written in (y, y + P):
            if written < 2**255:
                signs = (0, 1) if x == 0 else (x & 1,)
                made |= {(written | sign << 255).to_bytes(32, "little") for sign in signs}
    return sorted(made)


_BASE = (BASE[0], BASE[1])
SMALL = _encodings()
KEY = bytes.fromhex(VECTORS[0][0])


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_the_vectors_of_the_rfc_hold(key: str, message: str, signature: str) -> None:
    assert signed(bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature))
    assert not signed(bytes.fromhex(key), bytes.fromhex(message) + b"x", bytes.fromhex(signature))


@settings(few)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 511))
def test_what_another_implementation_signs_holds_and_one_bit_changed_does_not(
    seed: bytes, message: bytes, bit: int
) -> None:
    secret = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    key, made = secret.public_key().public_bytes_raw(), secret.sign(message)
    assert signed(key, message, made)
    changed = bytearray(made)
    changed[bit // 8] ^= 1 << bit % 8
    assert not signed(key, message, bytes(changed))
    other = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
    assert signed(other, message, made) == (other == key)


def test_a_second_form_of_the_same_signature_is_refused() -> None:
    """A signature has one form: the answer is below the order of the group."""
    key, message, signature = (bytes.fromhex(each) for each in VECTORS[1])
    answer = int.from_bytes(signature[32:], "little") + ORDER
    assert not signed(key, message, signature[:32] + answer.to_bytes(32, "little"))


@pytest.mark.parametrize("key", [b"", b"x" * 31, b"\xff" * 32, b"\x01" + bytes(30) + b"\x80"])
def test_what_is_no_key_has_signed_nothing(key: bytes) -> None:
    assert not signed(key, b"m", bytes(64))
    assert not signed(bytes.fromhex(VECTORS[0][0]), b"", key)


def test_there_are_fourteen_ways_to_write_the_eight_points_of_small_order() -> None:
    """As libsodium and others list them: eight canonical ones, and six that are not."""
    assert len(_torsion()) == 8
    assert len(SMALL) == 14
    canonical = [each for each in SMALL if (int.from_bytes(each, "little") & (2**255 - 1)) < P]
    assert len(canonical) == 10, "two of them write x = 0 with a sign"


@pytest.mark.parametrize("commitment", sorted(_torsion()))
def test_a_commitment_of_small_order_signs_nothing(commitment: tuple[int, int]) -> None:
    """Whoever knows a secret, and lets the key have a part of small order, can solve R + kA = SB for such an R."""
    secret = int.from_bytes(sha512(b"a secret").digest(), "little") % ORDER
    low = next(each for each in _torsion() if _affine_times(4, each) != (0, 1))
    key, written = _encoded(_affine_sum(_affine_times(secret, _BASE), low)), _encoded(commitment)
    for number in range(1000):
        message = b"%d" % number
        challenge = int.from_bytes(sha512(written + key + message).digest(), "little") % ORDER
        if _affine_sum(commitment, _affine_times(challenge, low)) == (0, 1):
            break
    else:
        raise AssertionError("one message in eight should do")
    assert not signed(key, message, written + (challenge * secret % ORDER).to_bytes(32, "little"))


@pytest.mark.parametrize("key", SMALL, ids=bytes.hex)
def test_a_key_of_small_order_signs_nothing(key: bytes) -> None:
    """With such a key anybody finds signatures: an honest R = rB with S = r holds for one message in eight or more."""
    for number in range(1, 40):
        commitment = _encoded(_affine_times(number, _BASE))
        assert not signed(key, b"verdict: APPROVED", commitment + number.to_bytes(32, "little"))
    for commitment in SMALL:
        assert not signed(key, b"verdict: APPROVED", commitment + bytes(32))


@pytest.mark.parametrize("key", SMALL, ids=bytes.hex)
def test_a_file_with_a_key_of_small_order_is_no_key(key: bytes, tmp_path: Path) -> None:
    path = tmp_path / "anybody.pub"
    line = b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + key).decode()
    path.write_text(f"ssh-ed25519 {line} anybody\n", encoding="ascii")
    with pytest.raises(Unreadable, match="anybody can sign"):
        read_key(path)


def test_a_good_key_is_none_of_them_and_is_read(tmp_path: Path) -> None:
    assert sound(KEY)
    path = tmp_path / "own.pub"
    line = b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + KEY).decode()
    path.write_text(f"ssh-ed25519 {line}\n", encoding="ascii")
    assert read_key(path) == KEY


@pytest.mark.parametrize("y", range(P, 2**255))
def test_a_y_that_is_not_reduced_is_no_key_and_no_commitment(y: int) -> None:
    for sign in (0, 1):
        written = (y | sign << 255).to_bytes(32, "little")
        assert not signed(written, b"m", written + bytes(32))
        assert not signed(KEY, b"", written + bytes.fromhex(VECTORS[0][2])[32:])
