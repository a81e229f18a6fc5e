"""One suite of tests a port, for every implementation of it, ours or yours; they need pytest and pytest-asyncio.

Subclass a suite in a test module, give it the fixture that it asks for, and have pytest rewrite its assertions with
`pytest.register_assert_rewrite("glasshouse.testing.conformance")` before the import.
"""
