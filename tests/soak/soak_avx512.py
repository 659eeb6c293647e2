#!/usr/bin/env python3
# The AVX-512 kernels on a processor that has them: an emulated one, where this machine's has not.
# SPDX-License-Identifier: ISC
#
# A processor with AVX-512 runs check_kernels, check_single and check_block itself. Else Bochs, which emulates AVX-512 (QEMU does not), boots for each
# of them a Linux kernel whose only program it is; the serial line is a file. Nothing is installed. That takes
#   bochs, bochs-term, bochsbios and vgabios (Debian's packages), or $MILLRACE_BOCHS, an unpacked bochs-bin, with $BXSHARE, its BIOS
#   a Linux kernel: /boot/vmlinuz-*, or $MILLRACE_VMLINUZ (Debian's linux-image-cloud-amd64, unpacked, has what it takes)
# Where one is missing, the complete check of the emulated intrinsics is all that is left to run, and it says so.
import glob
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time

MEMORY = 512  # MB
PAYLOAD = 0x8000000  # where it is loaded: the zero page, the file system, the kernel
LIMIT = 1800  # seconds
OPTIONS = '--quick --level=avx512'
PROGRAMS = {'check_kernels': ['check_avx512_emulated'], 'check_single': ['check_single_avx512_emulated'],  # and with emulated intrinsics
            'check_block': ['check_block_avx512_f32_emulated', 'check_block_avx512_f64_emulated']}
# Bochs 2.7 miscounts the compacted state of AVX-512, and Linux would then do without: noxsaves, clearcpuid.
COMMAND_LINE = ('console=ttyS0 nokaslr mitigations=off tsc=reliable lpj=1000000 noapic acpi=off pci=off nosmp noxsaves clearcpuid=xsavec '
                'panic=0 rdinit=/init -- ')

# Reads the payload from the disk by programmed input and enters the kernel by its 32-bit boot protocol.
BOOT = """
.code16
  cli
  xor %ax, %ax
  mov %ax, %ds
  in $0x92, %al             # address line 20
  or $2, %al
  out %al, $0x92
  lgdt descriptor
  mov %cr0, %eax
  or $1, %al
  mov %eax, %cr0
  ljmpl $0x10, $protected
.code32
protected:
  mov $0x18, %eax
  mov %ax, %ds
  mov %ax, %es
  mov %ax, %fs
  mov %ax, %gs
  mov %ax, %ss
  mov $0x7000, %esp
  cld
  mov $1, %esi              # sector
  mov $PAYLOAD, %edi
sector:
  mov $0x1f7, %edx
busy:
  in %dx, %al
  test $0x80, %al
  jnz busy
  mov $0xf2, %dl
  mov $1, %al
  out %al, %dx
  mov %esi, %eax
  inc %edx
  out %al, %dx
  shr $8, %eax
  inc %edx
  out %al, %dx
  shr $8, %eax
  inc %edx
  out %al, %dx
  mov $0xe0, %al
  inc %edx
  out %al, %dx
  mov $0x20, %al
  inc %edx
  out %al, %dx
wait:
  in %dx, %al
  test $8, %al
  jz wait
  mov $0xf0, %dl
  mov $256, %ecx
  rep insw
  inc %esi
  cmp $SECTORS, %esi
  jbe sector
  xor %ebx, %ebx
  xor %ebp, %ebp
  xor %edi, %edi
  mov $PAYLOAD, %esi        # the zero page
  mov $KERNEL, %eax
  jmp *%eax
.balign 8
table: .quad 0, 0, 0x00cf9a000000ffff, 0x00cf92000000ffff
descriptor: .word 31
  .long table
.org 510
  .word 0xaa55
"""


class Missing(Exception):
    """Something that the emulated processor needs and that is not here."""


def run(*command):
    subprocess.run(command, check=True)


def compile_check(folder, name, *flags):
    """tests/dsp/kernel/NAME.c with the library that was built."""
    source, build = os.environ['MILLRACE_SOURCE'], os.environ['MILLRACE_BUILD']
    program = os.path.join(folder, name)
    run(*os.environ.get('MILLRACE_CC', 'cc').split(), *flags, '-std=c17', '-O2', '-ffp-contract=off', '-D_POSIX_C_SOURCE=200809L',
        '-I' + source, '-o', program, os.path.join(source, 'tests/dsp/kernel', name + '.c'),
        os.path.join(build, 'libmillrace-internal.a'), '-lm', '-pthread')
    return program


def has_avx512():
    with open('/proc/cpuinfo') as file:
        return re.search(r'\bavx512vl\b', file.read()) is not None


def archive(entries):
    """A file system for the kernel, as a cpio archive: name, mode, device, content."""
    image = b''
    for number, (name, mode, device, content) in enumerate(entries, 1):
        name = name.encode() + b'\0'
        head = b'070701' + b''.join(b'%08x' % value for value in
                                    (number, mode, 0, 0, 1, 0, len(content), 0, 0) + device + (len(name), 0)) + name
        image += head + b'\0' * (-len(head) % 4) + content + b'\0' * (-len(content) % 4)
    return image


def zero_page(kernel, system_at, system_size):
    """What a boot loader tells the kernel; the command line is in the page after it."""
    page = bytearray(8192)
    end = 0x202 + kernel[0x201]
    page[0x1f1:end] = kernel[0x1f1:end]
    page[0x210] = 0xff  # no registered boot loader
    struct.pack_into('<II', page, 0x218, system_at, system_size)
    struct.pack_into('<I', page, 0x228, PAYLOAD + 4096)
    memory = [(0, 0x9f000), (0x100000, (MEMORY - 1) << 20)]
    page[0x1e8] = len(memory)
    for i, (start, size) in enumerate(memory):
        struct.pack_into('<QQI', page, 0x2d0 + 20 * i, start, size, 1)
    line = (COMMAND_LINE + OPTIONS).encode()
    page[4096:4096 + len(line)] = line
    return bytes(page)


def make_disk(folder, vmlinuz, program):
    with open(vmlinuz, 'rb') as file:
        kernel = file.read()
    if kernel[0x202:0x206] != b'HdrS':
        raise Missing('%s is no Linux kernel' % vmlinuz)
    code = kernel[((kernel[0x1f1] or 4) + 1) * 512:]
    with open(program, 'rb') as file:
        system = archive([('dev', 0o40755, (0, 0), b''), ('dev/console', 0o20600, (5, 1), b''),
                          ('init', 0o100755, (0, 0), file.read()), ('TRAILER!!!', 0, (0, 0), b'')])
    payload = zero_page(kernel, PAYLOAD + 8192, len(system)) + system
    payload += b'\0' * (-len(payload) % 0x200000)  # the kernel's alignment
    entry = PAYLOAD + len(payload)
    payload += code + b'\0' * (-len(code) % 512)

    source, image = os.path.join(folder, 'boot.s'), os.path.join(folder, 'boot')
    with open(source, 'w') as file:
        file.write('.set PAYLOAD, %d\n.set KERNEL, %d\n.set SECTORS, %d\n.globl _start\n_start:\n' % (PAYLOAD, entry, len(payload) // 512))
        file.write(BOOT)
    run('as', '--32', '-o', image + '.o', source)
    run('ld', '-m', 'elf_i386', '--oformat', 'binary', '-Ttext', '0x7c00', '-o', image, image + '.o')
    with open(image, 'rb') as file:
        disk = file.read() + payload
    cylinders = -(-len(disk) // (16 * 63 * 512))
    with open(os.path.join(folder, 'disk'), 'wb') as file:
        file.write(disk)
        file.truncate(cylinders * 16 * 63 * 512)
    return cylinders


def find(patterns, what):
    for pattern in patterns:
        found = sorted(glob.glob(pattern))
        if found:
            return found[-1]
    raise Missing(what)


def emulate(folder, bochs, cylinders):
    """Runs it until the program has ended; what it wrote."""
    share = os.environ.get('BXSHARE', '/usr/share/bochs')
    bios = find([share + '/BIOS-bochs-latest'], 'the package bochsbios is missing')
    vga = find([share + '/VGABIOS-lgpl-latest', '/usr/share/vgabios/vgabios.bin'], 'the package vgabios is missing')
    serial, settings, script = (os.path.join(folder, name) for name in ('serial', 'bochsrc', 'commands'))
    with open(settings, 'w') as file:
        file.write('\n'.join([
            'display_library: term', 'romimage: file=' + bios, 'vgaromimage: file=' + vga,
            'memory: guest=%d, host=%d' % (MEMORY, MEMORY), 'cpu: model=corei7_skylake_x, reset_on_triple_fault=0', 'clock: sync=none',
            'ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14',
            'ata0-master: type=disk, mode=flat, path=%s/disk, cylinders=%d, heads=16, spt=63' % (folder, cylinders), 'boot: disk',
            'com1: enabled=1, mode=file, dev=' + serial, 'log: %s/log' % folder, 'panic: action=fatal', 'speaker: enabled=0', '']))
    with open(script, 'w') as file:
        file.write('c\n')  # Debian's Bochs waits in its debugger
    text = ''
    screen, terminal = pty.openpty()  # its screen, which nobody looks at
    process = subprocess.Popen([bochs, '-q', '-f', settings, '-rc', script], stdin=terminal, stdout=terminal, stderr=terminal, cwd=folder,
                               env=dict(os.environ, TERM='vt100'))
    os.close(terminal)
    end = time.monotonic() + LIMIT
    shown = b''
    while process.poll() is None and time.monotonic() < end and 'Kernel panic' not in text:
        if select.select([screen], [], [], 1)[0]:
            try:
                shown = (shown + os.read(screen, 65536))[-4000:]
            except OSError:  # the other end is closed
                break
        if os.path.exists(serial):
            with open(serial, errors='replace') as file:
                text = file.read()
    process.kill()
    process.wait()
    os.close(screen)
    return text.replace('\r', '') or shown.decode(errors='replace')


def in_emulator(folder, program):
    bochs = os.environ.get('MILLRACE_BOCHS') or shutil.which('bochs-bin') or shutil.which('bochs')
    if not bochs:
        raise Missing('bochs is not installed')
    vmlinuz = os.environ.get('MILLRACE_VMLINUZ') or find(['/boot/vmlinuz-*'], 'no Linux kernel in /boot, and no $MILLRACE_VMLINUZ')
    if os.environ.get('MILLRACE_SANITIZE'):
        raise Missing('the sanitizers link no static program')
    return emulate(folder, bochs, make_disk(folder, vmlinuz, compile_check(folder, program, '-static', '-s')))


def check(program):
    with tempfile.TemporaryDirectory(prefix='millrace-avx512-') as folder:
        sanitize = os.environ.get('MILLRACE_SANITIZE')
        flags = ['-fsanitize=' + sanitize] if sanitize else []
        if has_avx512():
            return subprocess.call([compile_check(folder, program, *flags), '--level=avx512'])
        try:
            text = in_emulator(folder, program)
        except Missing as missing:
            print('left out: the emulated processor: %s' % missing, flush=True)
            return max([subprocess.call([compile_check(folder, name, *flags)]) for name in PROGRAMS[program]])
    results = re.findall(r'^(?:ok |FAILED|left out|    \w).*', text[text.find('Run /init'):], re.M)
    counts = re.findall(r'^(\d+) passed, (\d+) failed$', text, re.M)
    if not counts:
        print('%s\nThe program did not come to its end.\n0 passed, 1 failed' % text[-3000:])
        return 1
    passed, failed = map(int, counts[-1])
    print('\n'.join(results + ['%d passed, %d failed' % (passed, failed)]))
    return 0 if passed and not failed else 1


def main():
    return max([check(program) for program in PROGRAMS])


if __name__ == '__main__':
    sys.exit(main())
