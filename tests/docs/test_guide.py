"""Compiles and runs the C blocks of docs/guide.md, in a folder of their own, one process each.

A block that holds "int main(" is a program. Any other is the body of a function that returns an int, 0 for success: its
#include lines move to the top. What a reader need not see stands in HTML comments beside the block:

    <!-- file ... -->    declarations and functions before it
    <!-- before ... -->  statements before it
    <!-- after ... -->   statements after it, often assert()s

A folder holds model.hrry, made from samples/digits.safetensors, so this is skipped where no command can make it."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ["HURRAY_SOURCE_DIR"]
BUILD = os.environ["HURRAY_BUILD_DIR"]
CC = os.environ.get("CC", "cc")
PIECE = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$|^<!-- (?P<kind>file|before|after)\n(?P<hidden>.*?)^-->$",
                   re.M | re.S)
HEADERS = "assert.h inttypes.h math.h stdbool.h stdint.h stdio.h stdlib.h string.h hurray/hurray.h".split()


def blocks(text):
    """(line, code, {kind: hidden code}) of every C block, each with the comments that stand around it."""
    pending = {"file": "", "before": "", "after": ""}
    found = []
    for piece in PIECE.finditer(text):
        kind, line = piece["kind"], text.count("\n", 0, piece.start()) + 1
        if kind == "after":
            if not found:
                sys.exit(f"docs/guide.md:{line}: nothing stands before this")
            found[-1][2]["after"] += piece["hidden"]
        elif kind:
            pending[kind] += piece["hidden"]
        elif piece["language"] == "c":
            found.append((line + 1, piece["code"], pending))
            pending = {"file": "", "before": "", "after": ""}
    return found


def program(line, code, hidden):
    mark = f'#line {line} "docs/guide.md"\n'
    if "int main(" in code:
        return mark + code
    includes = "".join(re.findall(r"^#include .*\n", code, re.M))
    body = re.sub(r"^#include .*$", "", code, flags=re.M)
    top = "#undef NDEBUG\n" + "".join(f"#include <{name}>\n" for name in HEADERS) + includes + hidden["file"]
    return (f"{top}\nstatic int snippet(void)\n{{\n{hidden['before']}\n{mark}{body}\n{hidden['after']}\nreturn 0;\n}}\n"
            "int main(void)\n{\n    return snippet();\n}\n")


def libraries():
    archives = [os.path.join(BUILD, f"lib{name}.a") for name in ("hurray-interop", "hurray")]
    yajl = subprocess.run(["pkg-config", "--libs", "yajl"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return [path for path in archives if os.path.exists(path)] + shlex.split(yajl) + ["-lm"]


def run(folder, number, block):
    source, binary = (os.path.join(folder, f"snippet{number}{end}") for end in (".c", ""))
    with open(source, "w", encoding="utf-8") as file:
        file.write(program(*block))
    compiled = subprocess.run(
        [CC, "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(TOP, "include"), source, "-o",
         binary, *libraries()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if compiled.returncode:
        return compiled.stdout
    work = os.path.join(folder, f"work{number}")
    os.mkdir(work)
    shutil.copy(os.path.join(folder, "model.hrry"), work)
    done = subprocess.run([binary], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          errors="replace", timeout=60)
    return f"exit code {done.returncode}\n{done.stdout}" if done.returncode else ""


def main():
    if not {"HURRAY", "HURRAY_INTEROP"} <= os.environ.keys():
        print("no command that reads safetensors is built")
        return 77
    with open(os.path.join(TOP, "docs", "guide.md"), encoding="utf-8") as file:
        found = blocks(file.read())
    failed = not found
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.environ["HURRAY"], "convert", os.path.join(TOP, "samples", "digits.safetensors"),
                        os.path.join(folder, "model.hrry")], check=True, stdout=subprocess.DEVNULL)
        for number, block in enumerate(found):
            fault = run(folder, number, block)
            failed |= bool(fault)
            print(f"docs/guide.md:{block[0]}: {fault or 'ok'}")
    return 1 if failed else 0


sys.exit(main())
