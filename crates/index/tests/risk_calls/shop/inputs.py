from flask import request
import shlex


def host_name():
    # expect request->os.system
    return request.args["host"]


def clean_host():
    # expect nothing
    return shlex.quote(request.args["host"])


def fixed():
    # expect nothing
    request.args.get("host")
    return "localhost"
