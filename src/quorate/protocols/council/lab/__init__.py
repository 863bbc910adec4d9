"""How the council is attacked and measured."""
