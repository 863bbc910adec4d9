"""How the debate is attacked and measured."""
