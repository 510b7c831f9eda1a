<?php
function ping()
{
    // expect superglobal->exec
    $host = $_GET['host'];
    shell_exec("ping " . $host);
}

function pingQuoted()
{
    // expect nothing
    $host = escapeshellarg($_GET['host']);
    shell_exec("ping " . $host);
}

function find($db)
{
    // expect superglobal->query
    $name = trim($_POST['name']);
    $db->query("SELECT * FROM users WHERE name = '$name'");
}

function findQuoted($db)
{
    // expect nothing
    $name = $db->quote($_POST['name']);
    $db->query("SELECT * FROM users WHERE name = " . $name);
}

function findNumber($db)
{
    // expect nothing
    $id = intval($_GET['id']);
    $db->query("SELECT * FROM users WHERE id = $id");
}

function greet()
{
    // expect superglobal->echo
    echo "Hello " . $_GET['name'];
}

function greetEscaped()
{
    // expect nothing
    echo "Hello " . htmlspecialchars($_GET['name']);
}

function restore()
{
    // expect superglobal->unserialize
    return unserialize($_COOKIE['state']);
}

function read()
{
    // expect superglobal->file
    return file_get_contents("/srv/" . $_GET['file']);
}

function readFixed()
{
    // expect nothing
    return file_get_contents("/srv/index.html");
}

function leave()
{
    // expect superglobal->header
    header("Location: " . $_GET['next']);
}

function leave_lower()
{
    // expect superglobal->header
    header ("location: " . $_GET['next']);
}

function say_type()
{
    // expect nothing
    header("Content-Type: " . $_GET['type']);
}
