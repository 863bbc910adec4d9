"""The red team: fixed material with attacks in it, panels that fall for them, and what holds all the same."""
