"""The doors: they translate, and decide nothing."""
