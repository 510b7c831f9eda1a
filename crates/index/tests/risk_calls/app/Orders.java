package app;

import app.db.Store;

class Orders {
    private Store store;

    void find(HttpServletRequest request) {
        // expect request->executeQuery
        String name = request.getParameter("name");
        store.byName(name);
    }

    void findAll(HttpServletRequest request) {
        // expect nothing
        String name = request.getParameter("name");
        store.all();
    }
}
