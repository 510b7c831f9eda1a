package web

func ping(w http.ResponseWriter, r *http.Request) {
	// expect request->exec.Command
	host := r.FormValue("host")
	exec.Command("sh", "-c", "ping "+host).Run()
}

func pingFixed(w http.ResponseWriter, r *http.Request) {
	// expect nothing
	exec.Command("ping", "localhost").Run()
}

func find(w http.ResponseWriter, r *http.Request, db *sql.DB) {
	// expect request->db.Query
	name := r.URL.Query().Get("name")
	query := fmt.Sprintf("SELECT * FROM users WHERE name = '%s'", name)
	db.Query(query)
}

func findNumber(w http.ResponseWriter, r *http.Request, db *sql.DB) {
	// expect nothing
	id, _ := strconv.Atoi(r.FormValue("id"))
	db.Query("SELECT * FROM users WHERE id = " + fmt.Sprint(id))
}

func read(w http.ResponseWriter, r *http.Request) {
	// expect request->os.Open
	os.Open("/srv/" + r.FormValue("file"))
}

func readNamed(w http.ResponseWriter, r *http.Request) {
	// expect nothing
	os.Open("/srv/" + filepath.Base(r.FormValue("file")))
}

func greet(w http.ResponseWriter, r *http.Request) {
	// expect request->Fprintf
	fmt.Fprintf(w, "<h1>%s</h1>", r.FormValue("name"))
}

func greetEscaped(w http.ResponseWriter, r *http.Request) {
	// expect nothing
	fmt.Fprintf(w, "<h1>%s</h1>", html.EscapeString(r.FormValue("name")))
}

func leave(w http.ResponseWriter, r *http.Request) {
	// expect request->http.Redirect
	http.Redirect(w, r, r.FormValue("next"), 302)
}

func proxy(r *http.Request) {
	// expect request->http.Get
	target := r.FormValue("url")
	http.Get(target)
}

func fromEnvironment() {
	// expect nothing
	os.Open(os.Getenv("CONFIG"))
}
