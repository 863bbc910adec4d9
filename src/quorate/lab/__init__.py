"""Where protocols are attacked and measured: the red team and the bench."""
