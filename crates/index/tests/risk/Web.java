class Web {
    void ping(HttpServletRequest request) throws Exception {
        // expect request->exec
        String host = request.getParameter("host");
        Runtime.getRuntime().exec("ping " + host);
    }

    void pingFixed() throws Exception {
        // expect nothing
        Runtime.getRuntime().exec("ping localhost");
    }

    void find(HttpServletRequest request, Statement statement) throws Exception {
        // expect request->executeQuery
        String name = request.getParameter("name").trim();
        String sql = "SELECT * FROM users WHERE name = '" + name + "'";
        statement.executeQuery(sql);
    }

    void findBound(HttpServletRequest request, Connection connection) throws Exception {
        // expect nothing
        PreparedStatement statement = connection.prepareStatement("SELECT * FROM users WHERE name = ?");
        statement.setString(1, request.getParameter("name"));
        statement.executeQuery();
    }

    void findNumber(HttpServletRequest request, Statement statement) throws Exception {
        // expect nothing
        int id = Integer.parseInt(request.getParameter("id"));
        statement.executeQuery("SELECT * FROM users WHERE id = " + id);
    }

    void read(HttpServletRequest request) throws Exception {
        // expect request->File
        File file = new File("/srv/" + request.getParameter("file"));
    }

    void readFixed() throws Exception {
        // expect nothing
        File file = new File("/srv/index.html");
    }

    void leave(HttpServletRequest request, HttpServletResponse response) throws Exception {
        // expect request->sendRedirect
        response.sendRedirect(request.getParameter("next"));
    }

    void greet(HttpServletRequest request, HttpServletResponse response) throws Exception {
        // expect request->getWriter
        PrintWriter out = response.getWriter();
        out.println("Hello " + request.getParameter("name"));
    }

    void greetEncoded(HttpServletRequest request, PrintWriter out) {
        // expect nothing
        out.println("Hello " + Encode.forHtml(request.getParameter("name")));
    }

    void restore(HttpServletRequest request) throws Exception {
        // expect request->readObject
        ObjectInputStream in = new ObjectInputStream(request.getInputStream());
    }
}
