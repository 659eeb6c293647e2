# What the commands of ./waf beyond building do; wscript calls these.
# SPDX-License-Identifier: ISC
import fnmatch
import os
import sys

from waflib import ConfigSet, Context, Logs, Options, Utils

from tools import packages


def here(ctx):
    return ctx.path.abspath()


def watch(conf):
    """Configures again when one of these modules changed, as waf does for wscript."""
    for node in conf.path.ant_glob('tools/*.py'):
        conf.hash = Utils.h_list((conf.hash, node.read('rb')))
        conf.files.append(node.abspath())


def writes_man_pages(bld):
    return bool(bld.path.find_node('host/man.c'))


def wanted(bld, path, pattern):
    """True unless --filter leaves the test out; helpers are always wanted."""
    choice = Options.options.filter
    if not choice or '/tool_' in pattern:
        return True
    return any(fnmatch.fnmatch(name, choice) for name in (path, os.path.basename(path), os.path.basename(path).partition('_')[2]))


def setup(ctx):
    packages.install(ctx.fatal, Options.commands)
    # What was configured before may lack what is there now: configure again, with the same options.
    lock = os.path.join(here(ctx), Options.lockfile)
    if os.path.exists(lock):
        env = ConfigSet.ConfigSet(lock)
        env.hash = 0
        env.store(lock)
    Options.options.complete = True


def test(bld):
    from tools import testing
    testing.run_all(bld)
