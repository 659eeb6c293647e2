# The house: data flows one way through the rooms of dsp/, others see the public header alone, and every file says what it is for.
# SPDX-License-Identifier: ISC
import glob
import os
import re

from harness import SOURCE, main, read, scratch, write

GENERATED = {'ports.h'}  # by the build, from ttl/
SHARED = {'eq_settings.h', 'port_value.h', 'channel_list.h', 'bank_mode.h', 'later.h', 'uris.h'}  # of the plugins, with the command, which plays their settings
ROOMS = ['design', 'bank', 'kernel', 'threads', 'engine']  # each may use itself and those before it


def sources(root, *folders):
    return sorted(path for folder in folders for ending in ('c', 'h', 'cpp')
                  for path in glob.glob(os.path.join(root, folder, '**', '*.' + ending), recursive=True))


def quoted(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(path), re.M)


def resolve(root, path, name, places):
    """The file that an include means, from the project's root; None if there is none."""
    for folder in [os.path.dirname(path)] + [os.path.join(root, place) for place in places]:
        full = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(full):
            return os.path.relpath(full, root)
    return None


def faults(root):
    found = []
    for path in sources(root, 'dsp'):
        here = os.path.relpath(path, root)
        room = here.split(os.sep)[1]
        for name in quoted(path):
            target = resolve(root, path, name, ['dsp'])
            if target is None or not target.startswith('dsp' + os.sep):
                found.append('%s includes "%s", which is not in dsp/' % (here, name))
                continue
            other = target.split(os.sep)[1]
            if room in ROOMS and other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                found.append('%s includes %s: against the stream' % (here, target))
            if room in ROOMS and other not in ROOMS and target != os.path.join('dsp', 'millrace.h'):
                found.append('%s includes %s' % (here, target))
            if here == os.path.join('dsp', 'millrace.h'):
                found.append('the public header includes %s' % target)
    for path in sources(root, 'host', 'plugin', 'view'):
        here = os.path.relpath(path, root)
        for name in quoted(path):
            target = resolve(root, path, name, ['dsp', 'host', 'plugin', '.'])
            if target is None and name in GENERATED:
                continue
            if target is None:
                found.append('%s includes "%s", which is not there' % (here, name))
                continue
            room, other = here.split(os.sep)[0], target.split(os.sep)[0]
            if other == 'dsp' and target != os.path.join('dsp', 'millrace.h'):
                found.append('%s includes %s: it may see millrace.h alone' % (here, target))
            if room == 'view' and other not in ('dsp', 'view'):
                found.append('%s includes %s: it may see dsp and itself alone' % (here, target))
            if room == 'view' and here.count(os.sep) == 1 and target.startswith(os.path.join('view', 'cairo')):
                found.append('%s includes %s: numbers know nothing of their drawing' % (here, target))
            if {room, other} == {'host', 'plugin'} and not (room == 'host' and os.path.basename(target) in SHARED):
                found.append('%s includes %s, which is not shared' % (here, target))
    return found


def test_includes_flow_one_way():
    assert len(sources(SOURCE, 'dsp')) > 5
    assert not faults(SOURCE), '\n'.join(faults(SOURCE))


def test_this_test_sees_each_kind_of_fault():
    root = scratch()
    for room in ROOMS:
        write(os.path.join(root, 'dsp', room, room + '.h'), '')
    write(os.path.join(root, 'dsp', 'millrace.h'), '')
    write(os.path.join(root, 'dsp', 'bank', 'bank.c'), '#include "millrace.h"\n#include "design/design.h"\n#include "bank.h"\n')
    write(os.path.join(root, 'host', 'main.c'), '#include "millrace.h"\n')
    assert faults(root) == []
    write(os.path.join(root, 'dsp', 'design', 'design.c'), '#include "../bank/bank.h"\n')
    write(os.path.join(root, 'dsp', 'kernel', 'kernel.c'), '  #  include "engine/engine.h"\n')
    write(os.path.join(root, 'host', 'info.c'), '#include "kernel/kernel.h"\n')
    write(os.path.join(root, 'plugin', 'eq_settings.h'), '#include "ports.h"\n')
    write(os.path.join(root, 'plugin', 'realtime.h'), '')
    write(os.path.join(root, 'host', 'preset.c'), '#include "../plugin/eq_settings.h"\n#include "../plugin/realtime.h"\n#include "absent.h"\n')
    write(os.path.join(root, 'view', 'cairo', 'draw.h'), '')
    write(os.path.join(root, 'view', 'curves.c'), '#include "cairo/draw.h"\n#include "../plugin/realtime.h"\n#include "../dsp/millrace.h"\n')
    assert len(faults(root)) == 7, faults(root)


def test_platforms_are_named_in_the_kernels_alone():
    word = re.compile(r'^\s*#\s*(?:if|elif|ifdef|ifndef)\b.*(__x86_64__|__aarch64__|__ARM|__SSE|__AVX|__linux__|_WIN32|__APPLE__)', re.M)
    named = [path for path in sources(SOURCE, 'dsp', 'host') if word.search(read(path)) and '/dsp/kernel/' not in path]
    assert not named, named


def test_every_file_says_what_it_is_for_and_its_licence():
    paths = sources(SOURCE, 'dsp', 'host', 'view', 'plugin', 'tests') + glob.glob(os.path.join(SOURCE, 'tools', '*.py'))
    paths += glob.glob(os.path.join(SOURCE, 'tests', '**', '*.py'), recursive=True)
    lacking = []
    for path in paths:
        head = read(path)[:1200]
        if 'SPDX-License-Identifier: ISC' not in head or not head.lstrip().startswith(('/*', '//', '#', '"""')):
            lacking.append(os.path.relpath(path, SOURCE))
    assert not lacking, lacking


main(globals())
