# Ardour: channel k in is channel k out, for plugins of any width on tracks of as many channels.
# SPDX-License-Identifier: ISC
# Needs: ardour7-lua
import numpy as np

from ardour import Session, Track
from lv2 import equal, folder_of_bundles, main, port_indices, tones

COUNTS = (1, 2, 6, 8, 16, 64)
FRAMES = 12000


def flat(count):
    """The EQ with a band that is off but would be heard, and one that is on but is not."""
    uri = 'urn:millrace:eq#%d' % count
    settings = {'b1_gain': 6.0, 'b1_freq': 1000.0, 'b2_on': 1.0, 'b2_gain': 0.0}
    return uri, {port_indices(uri)[symbol]: value for symbol, value in settings.items()}


def test_each_channel_stays_in_its_place():
    tracks = []
    for nth, count in enumerate(COUNTS):  # one after the other, so that they are heard alone
        uri, values = flat(count)
        tracks.append(Track('wide%d' % count, uri, tones(FRAMES, count), nth * FRAMES, values))
    session = Session(folder_of_bundles(), tracks, len(COUNTS) * FRAMES)
    for track, words in zip(tracks, [words for words in session.facts if words[0] == 'instance']):
        assert words == ['instance', track.name, '1', str(track.channels), str(track.channels), '0'], words
    heard = session.play()
    for track in tracks:
        got = heard[track.start:track.start + FRAMES]
        expected = np.zeros((FRAMES, max(COUNTS)), '<f4')
        expected[:, :track.channels] = track.sound
        equal(got, expected, track.name)


main(globals())
