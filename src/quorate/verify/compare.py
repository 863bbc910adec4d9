class Comparison:
    def __init__(self, walk): pass
    def merged(self, *a): pass
    def sampled(self, *a): pass
