"""Builds the wheel: the package and the library it opens, the same bytes from the same inputs. Standard library alone.

    python3 python/ceiling_wheel.py build/libceiling.so.0.1.0 build

It is also the build backend of pyproject.toml (`pip wheel python`), with the library named by CEILING_LIBRARY. The
wheel is for the machine it is built on: nothing is vendored, and no claim is made for older C libraries.
"""

import base64
import hashlib
import os
import pathlib
import sys
import sysconfig
import zipfile

here = pathlib.Path(__file__).parent
name = "ceiling"


def version_of(library):
    """libceiling.so.0.1.0 or libceiling.0.1.0.dylib."""
    return library.name.removeprefix("libceiling.").removeprefix("so.").removesuffix(".dylib")


def files_of(library):
    version, tag = version_of(library), f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    about = f"{name}-{version}.dist-info"
    ending = "dylib" if library.suffix == ".dylib" else "so"
    files = {f"{name}/{path.name}": path.read_bytes() for path in sorted((here / name).glob("*")) if path.is_file()}
    files[f"{name}/libceiling.{ending}"] = library.read_bytes()
    files[f"{about}/METADATA"] = (f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: how far adding "
                                  "GPUs gets you\nLicense: Apache-2.0\nRequires-Python: >=3.9\n").encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {name}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = f"{about}/RECORD"
    rows = [f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items()] + [f"{record},,\n"]
    files[record] = "".join(rows).encode()
    return f"{name}-{version}-{tag}.whl", files


def build_wheel(directory, config_settings=None, metadata_directory=None):
    library = os.environ.get("CEILING_LIBRARY")
    if not library:
        sys.exit("CEILING_LIBRARY names no library: build it with make, then say build/libceiling.so.VERSION")
    wheel, files = files_of(pathlib.Path(library))
    with zipfile.ZipFile(pathlib.Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return wheel


if __name__ == "__main__":
    os.environ["CEILING_LIBRARY"] = sys.argv[1]
    print(pathlib.Path(sys.argv[2]) / build_wheel(sys.argv[2]))
