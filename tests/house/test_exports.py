"""What a shared library exports is what its public headers declare, no more and no less, and all names are ours.
libhurray.so needs libc and libm only; its SONAME and the change log follow the version."""
import os
import re
import subprocess
import sys

TOP, BUILD = os.environ["HURRAY_SOURCE_DIR"], os.environ["HURRAY_BUILD_DIR"]
DECLARATION = re.compile(r"^(?:HRY|HURRAY)_API\b[^;(]*?\b(\w+)\(", re.M)
ALLOWED = re.compile(r"(libc|libm|ld-linux.*)\.so\.\d+")
# Library: what its names begin with, the headers that are its own (None: all that are no other's).
LIBRARIES = {
    "libhurray.so": ("hry_", None),
    "libhurray-interop.so": ("hry_", ["hurray/interop.h"]),
    "libhurray_ffi.so": ("hurray_", ["hurray.h"]),
}


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def declared(headers):
    if headers is None:
        taken = sum((own or [] for _, own in LIBRARIES.values()), [])
        names = sorted(os.listdir(os.path.join(TOP, "include", "hurray")))
        headers = [f"hurray/{name}" for name in names if f"hurray/{name}" not in taken]
    return {name for header in headers for name in DECLARATION.findall(read("include", header))}


def main():
    faults = []
    for library, (prefix, headers) in LIBRARIES.items():
        path = os.path.join(BUILD, library)
        if not os.path.exists(path):
            continue
        exported = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", path).splitlines()}
        wanted = declared(headers)
        faults += [f"{library} exports {name}, which no header declares" for name in sorted(exported - wanted)]
        faults += [f"{library} lacks {name}, which a header declares" for name in sorted(wanted - exported)]
        archive = run("nm", "-g", "--defined-only", path.replace(".so", ".a"))
        inside = {line.split()[-1] for line in archive.splitlines() if len(line.split()) == 3}
        faults += [f"{library}: {name} is not one of our names" for name in sorted(inside)
                   if not name.startswith((prefix, "hry_"))]
        print(f"{library}: {len(exported)} functions")
    version = re.search(r'return "([\d.]+)"', read("src", "base", "version.c")).group(1)
    dynamic = run("readelf", "-d", os.path.join(BUILD, "libhurray.so"))
    faults += [f"libhurray.so needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
               if not ALLOWED.fullmatch(name)]
    if f"[libhurray.so.{version.rpartition('.')[0]}]" not in dynamic:
        faults.append("the SONAME is not that of the version")
    if not re.search(rf"^## {re.escape(version)}\b", read("CHANGELOG.md"), re.M):
        faults.append(f"CHANGELOG.md says nothing of {version}")
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
