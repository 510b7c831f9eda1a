<?php
function find_user($name) {
    // expect superglobal->query
    $sql = "select * from users where name = '" . $name . "'";
    return mysqli_query($GLOBALS["db"], $sql);
}

function folder_name() {
    // expect superglobal->exec
    return $_POST["folder"];
}

function run_list($folder) {
    // expect superglobal->exec
    system("ls " . $folder);
}
