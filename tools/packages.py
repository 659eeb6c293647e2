# The Debian packages that each command needs, and their installation.
# SPDX-License-Identifier: ISC
import glob
import os
import shutil
import subprocess

BUILD = ['gcc', 'g++', 'libc6-dev', 'pkg-config', 'libsndfile1-dev', 'libpopt-dev', 'libjansson-dev', 'libtbb-dev', 'libcairo2-dev', 'libkissfft-dev', 'lv2-dev', 'liblilv-dev',
         'libjack-jackd2-dev']
DEMO = ['alsa-utils']
CROSS = ['qemu-user', 'gcc-aarch64-linux-gnu', 'libc6-dev-arm64-cross']
# Programs that load the plugins, and what drives and checks them.
HOSTS = ['ardour', 'jalv', 'jackd2', 'pipewire', 'pipewire-bin', 'pipewire-jack', 'qtractor', 'xvfb', 'lilv-utils', 'lv2file', 'sordi']
TEST = DEMO + CROSS + HOSTS + ['g++', 'git', 'groff-base', 'xz-utils', 'sox', 'ffmpeg', 'libcmocka-dev', 'python3', 'python3-numpy', 'python3-scipy',
                       'python3-mpmath']
NEEDED = {
    'demo': DEMO,
    'test': TEST,
    'soak': TEST + ['bochs', 'bochs-term', 'bochsbios', 'vgabios'],
    'bench': ['python3-numpy', 'python3-scipy', 'libliquid-dev', 'sox', 'ffmpeg', 'lsp-plugins-lv2', 'x42-plugins', 'calf-plugins', 'eq10q'],
    'lint': ['clang-format-14', 'clang-tidy-14', 'cppcheck', 'libcmocka-dev', 'libliquid-dev'],
    'fuzz': ['clang-14', 'libclang-rt-14-dev'],
    'dist': ['git', 'xz-utils'],
}


def installed(names):
    try:
        listing = subprocess.run(['dpkg-query', '-W', '-f', '${Package} ${db:Status-Status}\n'] + names, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    except OSError:
        return set()
    return {line.split()[0] for line in listing.splitlines() if line.endswith(' installed')}


def install(fatal, commands):
    """Installs what the commands need and the machine has not; without any command, what build and test need."""
    names = list(BUILD)
    for command in commands or ['test']:
        names += NEEDED.get(command, [])
    there = installed(names)
    missing = sorted(set(names) - there)
    if not missing:
        print('All %d packages are installed.' % len(set(names)))
        return
    if not shutil.which('apt-get'):
        fatal('This machine has no apt-get. Please install what these packages of Debian hold: ' + ' '.join(missing))
    prefix = []
    if os.getuid() != 0:
        if not shutil.which('sudo'):
            fatal('Packages are missing, and neither is this root nor is there sudo. As root: apt-get install ' + ' '.join(missing))
        prefix = ['sudo']
    prefix += ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=300']

    def apt(*arguments):
        return subprocess.run(prefix + list(arguments), stdin=subprocess.DEVNULL).returncode == 0

    print('Installing ' + ' '.join(missing), flush=True)
    request = ['--no-install-recommends', 'install'] + missing
    if glob.glob('/var/lib/apt/lists/*_Packages*') and apt(*request):
        return
    if not apt('update'):
        print('apt-get update failed; trying with the package lists that are there.', flush=True)
    if not apt(*request):
        fatal('Could not install: ' + ' '.join(missing))
