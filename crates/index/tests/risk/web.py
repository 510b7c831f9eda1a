import os, subprocess, pickle, yaml, shlex, html, requests, sys
from flask import request, redirect, render_template_string


def ping():
    # expect request->os.system
    host = request.args.get("host")
    os.system("ping -c 1 " + host)


def ping_quoted():
    # expect nothing
    host = shlex.quote(request.args["host"])
    os.system("ping -c 1 " + host)


def ping_fixed():
    # expect nothing
    os.system("ping -c 1 localhost")


def shell():
    # expect request->subprocess
    name = request.form["name"].strip()
    command = f"useradd {name}"
    subprocess.run(command, shell=True)


def no_shell():
    # expect nothing
    name = request.form["name"]
    subprocess.run(["useradd", name])


def lookup(cursor):
    # expect request->execute
    user = request.args["user"]
    cursor.execute("SELECT * FROM users WHERE name = '%s'" % user)


def lookup_bound(cursor):
    # expect nothing
    user = request.args["user"]
    cursor.execute("SELECT * FROM users WHERE name = %s", (user,))


def lookup_number(cursor):
    # expect nothing
    number = int(request.args["id"])
    cursor.execute("SELECT * FROM users WHERE id = %d" % number)


def calculate():
    # expect request->eval
    return eval(request.json["expression"])


def model_eval(model):
    # expect nothing
    return model.eval(request.json["expression"])


def restore():
    # expect request->pickle
    return pickle.loads(request.data)


def settings():
    # expect request->yaml.load
    return yaml.load(request.data)


def settings_safe():
    # expect nothing
    return yaml.load(request.data, Loader=yaml.SafeLoader)


def download():
    # expect request->open
    path = os.path.join("/srv", request.args["file"])
    with open(path) as file:
        return file.read()


def download_named():
    # expect nothing
    path = os.path.basename(request.args["file"])
    with open(path) as file:
        return file.read()


def proxy():
    # expect request->requests
    return requests.get(request.args["url"]).text


def leave():
    # expect request->redirect
    target = request.args.get("next")
    return redirect(target)


def page():
    # expect request->render_template_string
    return render_template_string("<h1>" + request.args["title"] + "</h1>")


def replaced():
    # expect nothing
    host = request.args["host"]
    host = "localhost"
    os.system("ping " + host)


def from_command_line():
    # expect argv->os.system
    os.system("ls " + sys.argv[1])


def file_of_command_line():
    # expect nothing
    return open(sys.argv[1]).read()


def settings_of_upload():
    # expect request->yaml.load
    file = request.FILES["file"]
    return yaml.load(file, yaml.Loader)


def safe_settings_of_upload():
    # expect nothing
    return yaml.safe_load(request.FILES["file"])


def picture(one, other):
    # expect request->eval
    return ImageMath.eval(request.POST.get("function"), one=one, other=other)
