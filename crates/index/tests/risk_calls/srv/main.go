package main

import "net/http"

func handle(w http.ResponseWriter, r *http.Request) {
	// expect request->exec.Command
	host := r.FormValue("host")
	ping(host)
}

func handleFixed(w http.ResponseWriter, r *http.Request) {
	// expect nothing
	ping("localhost")
}
