package app.db;

public class Store {
    Statement statement;

    public void byName(String name) {
        // expect request->executeQuery
        statement.executeQuery("select * from t where name = '" + name + "'");
    }

    public void all() {
        // expect nothing
        statement.executeQuery("select * from t");
    }
}
