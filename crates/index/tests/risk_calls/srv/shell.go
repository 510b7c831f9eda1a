package main

import "os/exec"

func ping(host string) {
	// expect request->exec.Command
	exec.Command("sh", "-c", "ping "+host).Run()
}
