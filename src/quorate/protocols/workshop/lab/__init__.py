"""How the workshop is attacked and measured."""
