"""Where functions begin and end, in every kind of language, and in texts made to confuse."""

from __future__ import annotations

import pytest

from quorate.lab.bench.corpus import twins
from quorate.protocols.review.world.triage.functions import functions_in

PYTHON = """\
import os


# Says hello.
@cache
def hello(name):
    def inner():
        return name
    return inner()


class Greeter:
    limit = 3

    async def greet(self):
        return hello("x")


if os.name == "nt":
    def only_here():
        return 1
"""
GO = """\
package p

// Save writes data; a } in a comment is none.
func (s *Store) Save(data []byte) error {
    if len(data) == 0 {
        return errors.New("} { \\"")
    }
    return nil
}

func Sum(
    a int,
    b int,
) int {
    return a + b
}
"""
SCRIPT = """\
import { x } from "y";

export const price = (cents: number): string => `${cents} {`;

export async function load({ id }: { id: string }): Promise<{ ok: boolean }> {
  return { ok: true };
}

class Cart {
  private total = 0;

  constructor(private readonly api: Api) {}

  /** Adds one. */
  async add(line: Line): Promise<void> {
    this.total += line.cents;
  }
}

load({ id: "1" });
"""
RUST = """\
impl Shop {
    pub fn open(&self) -> bool {
        true
    }
}
"""
C = """\
int add(int a, int b);

static int
other;

int add(int a, int b)
{
    return a + b;
}
"""
SQL = """\
-- One; of two.
SELECT ';' FROM a;
CREATE TRIGGER t AFTER INSERT ON a BEGIN
  UPDATE b SET n = CASE WHEN n > 0 THEN 1 ELSE 0 END;
  DELETE FROM c;
END;
CREATE FUNCTION f() RETURNS int AS $$ BEGIN; RETURN 1; END; $$ LANGUAGE plpgsql;
BEGIN;
COMMIT
"""
RUBY = """\
class Shop
  def open?
    if x
      1
    end
  end

  def close
    2
  end
end
"""


def spans(text: str, path: str) -> list[tuple[str, int, int]]:
    return [(each.name, each.first, each.last) for each in functions_in(text, path)]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (PYTHON, "a.py", [("hello", 4, 9), ("Greeter.greet", 15, 16), ("only_here", 20, 21)]),
        (GO, "a.go", [("Store.Save", 3, 9), ("Sum", 11, 16)]),
        (SCRIPT, "a.ts", [("price", 3, 3), ("load", 5, 7), ("constructor", 12, 12), ("add", 14, 17)]),
        (RUST, "a.rs", [("open", 2, 4)]),
        (C, "a.c", [("add", 6, 9)]),
        (RUBY, "a.rb", [("open?", 2, 6), ("close", 8, 10)]),
    ],
)
def test_functions_are_found_with_their_comments(text: str, path: str, expected: list[tuple[str, int, int]]) -> None:
    assert spans(text, path) == expected


def test_every_statement_of_sql_is_one_and_a_body_belongs_to_its_routine() -> None:
    found = [(first, last) for _, first, last in spans(SQL, "a.sql")]
    assert found == [(1, 2), (3, 6), (7, 7), (8, 8), (9, 9)]


def test_python_that_cannot_be_parsed_is_read_by_its_indentation() -> None:
    assert spans("def f(:\n    return 1\n\nx = 2\n", "a.py") == [("f", 1, 2)]


@pytest.mark.parametrize("path", ["a.py", "a.go", "a.ts", "a.sql", "a.rb", "a.c"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{" * 5_000,
        "}" * 5_000,
        "func f() {\n" * 3_000,
        "/*" * 5_000,
        "`" * 4_999,
        "'" * 4_999,
        "$a$" * 3_000,
        "create trigger begin;" * 3_000,
        " " * 20_000 + "(",
        "a " * 10_000 + "(",
        "def f(\n" * 3_000,
        "(" * 2_000 + "\n" + "f(x)\n{\n" * 2_000,
        "def \0():\n  1\n",
        "\x0c\u2028\r\n" * 100,
    ],
)
def test_no_text_breaks_the_search(path: str, text: str) -> None:
    lines = text.count("\n") + 1
    end = 0
    for each in functions_in(text, path):
        assert end < each.first <= each.last <= lines
        end = each.last


def test_the_faulty_line_of_every_pair_of_the_corpus_is_in_a_function() -> None:
    missed = []
    for pair in twins():
        if not any(each.first <= pair.line <= each.last for each in functions_in(pair.faulty, pair.path)):
            missed.append(pair.id)
    assert missed == []
