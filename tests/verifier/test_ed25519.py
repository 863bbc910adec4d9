"""Ed25519: the vectors of RFC 8032, section 7.1, and agreement with another implementation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate_verifier.ed25519 import ORDER, signed
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
]


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
