from flask import request
from shop.shell import ping_host, run_safely, deep_one, only_logs, quoted
from shop.inputs import host_name, clean_host, fixed
from shop import store
from shop.store import Store


def ping():
    # expect request->os.system
    ping_host(request.args["host"])


def ping_by_name():
    # expect request->os.system
    name = request.form.get("host")
    ping_host(count=3, host=name)


def ping_count():
    # expect nothing
    ping_host("localhost", request.args["count"])


def ping_safely():
    # expect nothing
    run_safely(request.args["host"])


def ping_deep():
    # expect request->os.system
    deep_one(request.args["host"])


def logged():
    # expect nothing
    only_logs(request.args["host"])


def ping_returned():
    # expect request->os.system
    host = host_name()
    import os
    os.system("ping " + host)


def ping_clean():
    # expect nothing
    host = clean_host()
    import os
    os.system("ping " + host)


def ping_fixed():
    # expect nothing
    import os
    os.system("ping " + fixed())


def find():
    # expect request->execute
    store.find(request.args["name"])


def find_bound():
    # expect nothing
    store.find_bound(request.args["name"])


def find_in_store(db):
    # expect request->execute
    found = Store(db)
    found.lookup(request.args["name"])


def both_ways():
    # expect request->os.system
    ping_host(host_name())


def quoted_before():
    # expect nothing
    ping_host(quoted(request.args["host"]))


def loop(x):
    # expect nothing
    return loop(x)
