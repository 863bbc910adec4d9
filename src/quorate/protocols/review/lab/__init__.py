"""How the review is attacked and measured."""
