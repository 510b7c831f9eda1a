"""Parking places."""
import os

LIMIT = 8


class Place(Base):
    """A place to leave a car."""

    size = 1

    @property
    def owner(self):
        """Who holds the place."""
        return self._owner

    async def reserve(self, owner: str) -> bool:
        self._owner = owner
        return True


def helper(value, *, deep=False):
    # why not
    return value


def test_helper():
    assert helper(1)
