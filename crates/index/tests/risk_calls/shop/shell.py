import os
import shlex
import subprocess


def ping_host(host, count=1):
    # expect request->os.system
    command = "ping " + host
    os.system(command)
    print(count)


def run_safely(host):
    # expect nothing
    subprocess.run(["ping", host])


def deep_one(host):
    # expect request->os.system
    return deep_two(host)


def deep_two(value):
    # expect request->os.system
    target = value.strip()
    return deep_three(target)


def deep_three(last):
    # expect request->os.system
    os.system("ping " + last)


def only_logs(host):
    # expect nothing
    print(host)
    os.system("date")


def quoted(host):
    # expect nothing
    return shlex.quote(host)
