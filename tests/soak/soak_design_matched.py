#!/usr/bin/env python3
"""All of tests/dsp/design/test_matched.py's grid, of which the tests take a share.
SPDX-License-Identifier: ISC"""
import os
import runpy
import sys

here = os.environ.get('MILLRACE_SOURCE', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
folder = os.path.join(here, 'tests', 'dsp', 'design')
sys.path.insert(0, folder)
sys.argv[1:] = ['1']
runpy.run_path(os.path.join(folder, 'test_matched.py'), run_name='__main__')
