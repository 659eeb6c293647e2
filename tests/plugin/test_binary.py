# What the plugin's binary shows of itself, and what it needs.
# SPDX-License-Identifier: ISC
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'project'))
from harness import BUILD, SANITIZE, main  # noqa: E402

BINARY = os.path.join(BUILD, 'lv2', 'millrace.lv2', 'millrace.so')


def output(*command):
    return subprocess.check_output(command, universal_newlines=True)


def test_it_exports_one_symbol():
    names = [line.split()[-1] for line in output('nm', '-D', '--defined-only', BINARY).splitlines()]
    assert names == ['lv2_descriptor'], names


def test_it_needs_no_more_than_the_c_library_and_onetbb():
    """No X11, no cairo: a host without a display loads nothing of a display."""
    needed = re.findall(r'\(NEEDED\).*\[(.*)\]', output('readelf', '-d', BINARY))
    allowed = ('libc.so', 'libm.so', 'libpthread.so', 'ld-linux', 'libtbb.so', 'libstdc++.so', 'libgcc_s.so') + (('libasan', 'libubsan', 'libtsan', 'libgcc_s') if SANITIZE else ())
    assert needed and all(name.startswith(allowed) for name in needed), needed


def test_it_can_be_unloaded_and_has_no_start_up_code_of_its_own():
    """-ffast-math would link code that sets the host's floating-point mode as the binary is loaded."""
    assert 'NODELETE' not in output('readelf', '-d', BINARY)
    assert 'set_fast_math' not in output('nm', BINARY)


def test_what_draws_is_a_module_of_its_own():
    """It is what loads cairo; the plugins' binary names it nowhere but where it opens it."""
    module = os.path.join(BUILD, 'lv2', 'millrace.lv2', 'millrace-view.so')
    if not os.path.exists(module):  # a build without cairo
        return
    names = [line.split()[-1] for line in output('nm', '-D', '--defined-only', module).splitlines()]
    assert names == ['mr_view_draw'], names
    assert 'libcairo.so.2' in re.findall(r'\(NEEDED\).*\[(.*)\]', output('readelf', '-d', module))
    assert 'cairo' not in output('nm', '-D', '--undefined-only', BINARY)


main(globals())
