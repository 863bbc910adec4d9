"""How the roundtable is attacked and measured."""
