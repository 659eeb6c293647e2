# A minute of 64 channels through `millrace jack` at blocks of 1024 frames, without an xrun; and blocks of 16 to 8192 frames, changed every tenth of a second.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp tests/host/jack/tool_jackprobe
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'host', 'jack'))
from graph import RATE, Graph, bank_file, equal, main, noise, rendered, without_xruns  # noqa: E402

ORDER_16 = 'Filter: ON Butterworth HP Order 16 Fc 80 Hz\n'


def test_a_minute_without_an_xrun():
    bank, x = bank_file(ORDER_16), noise(4 * RATE, 64)  # so little that it stays in memory
    with Graph(1024, sync=False) as graph:
        client = graph.client('-c', 64, '-b', bank)
        got = without_xruns(graph, x, 'times=15')
        expected = rendered(np.tile(x, (2, 1)), bank)[len(x):]  # the filters ring much less than 4 s
        assert np.abs(got.astype(float) - expected).max() < 1e-7
        assert client.stop() == 0, client.said()


def test_blocks_change_for_a_minute():
    bank, x = bank_file(ORDER_16), noise(60 * RATE, 8)
    with Graph(1024) as graph:
        client = graph.client('-c', 8, '-b', bank)
        got, facts = graph.play(x, 'sizes=100:16,8192,64,1024,32,4096,128,2048,256,16,512')
        assert facts['blocks'] > 200, facts
        equal(got, rendered(x, bank), 'through %d changes' % facts['blocks'])
        assert client.stop() == 0, client.said()


main(globals())
