"""The web page: its files, served one by one or combined into a single file. It decides nothing."""
