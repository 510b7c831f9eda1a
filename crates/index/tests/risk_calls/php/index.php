<?php
require_once "lib.php";

function show_user() {
    // expect superglobal->query
    find_user($_GET["name"]);
}

function show_user_by_number() {
    // expect nothing
    find_user(intval($_GET["id"]));
}

function list_files() {
    // expect superglobal->exec
    $folder = folder_name();
    run_list($folder);
}
