def find(name):
    # expect request->execute
    cursor.execute("select * from t where name = '" + name + "'")


def find_bound(name):
    # expect nothing
    cursor.execute("select * from t where name = ?", (name,))


class Store:
    def __init__(self, db):
        # expect nothing
        self.db = db

    def lookup(self, name):
        # expect request->execute
        self.db.execute(f"select {name}")
