#!/usr/bin/env python3
"""Every factory preset heard in jalv; the tests listen to one of each group.
SPDX-License-Identifier: ISC"""
import os
import runpy
import sys

here = os.environ.get('MILLRACE_SOURCE', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
folder = os.path.join(here, 'tests', 'hosts')
sys.path.insert(0, folder)
sys.argv[1:] = ['1']
runpy.run_path(os.path.join(folder, 'test_jalv_presets.py'), run_name='__main__')
