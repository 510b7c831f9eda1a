-- Where cars are left.
CREATE TABLE places (
  id INTEGER PRIMARY KEY,
  owner TEXT
);

CREATE VIEW free_places AS
SELECT id FROM places WHERE owner IS NULL;

CREATE INDEX places_owner ON places (owner);
