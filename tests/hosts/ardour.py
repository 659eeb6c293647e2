# Sessions of Ardour 7 without a screen: made by one process, played and exported by another.
# SPDX-License-Identifier: ISC
import os
import re
import struct

import numpy as np

from lv2 import HERE, RATE, read_floats, run, scratch, write  # noqa: F401

SHARE = '/usr/share/ardour7/export'
FORMAT, PRESET = '6d696c6c-7261-4365-8001-000000000001', '6d696c6c-7261-4365-8001-000000000002'


class Track:
    """name; uri; sound: what its region plays, frames by channels, from frame `start` on; values by port index; preset: a label; automation:
    of (port index, 'play', 'touch', 'latch' or 'write', [(frame, value), ...])."""

    def __init__(self, name, uri, sound, start=0, values=(), preset=None, automation=()):
        self.name, self.uri, self.sound, self.start, self.values = name, uri, sound, start, dict(values)
        self.preset, self.automation = preset, list(automation)
        self.channels = sound.shape[1]


def lua(thing):
    if isinstance(thing, dict):
        return '{ %s }' % ', '.join('%s = %s' % (key, lua(value)) for key, value in thing.items() if value is not None)
    if isinstance(thing, (list, tuple)):
        return '{ %s }' % ', '.join(map(lua, thing))
    return '"%s"' % thing.replace('\\', '\\\\').replace('"', '\\"') if isinstance(thing, str) else repr(thing)


def write_export_preset(folder):
    """WAV of 32-bit floats at the session's rate; nothing normalised, trimmed or dithered."""
    write(os.path.join(folder, 'floats.format'), '''<?xml version="1.0" encoding="UTF-8"?>
<ExportFormatSpecification name="floats" id="%s" with-cue="false" with-toc="false" with-mp4chaps="false" command="" analyse="false">
  <Encoding id="F_WAV" type="T_Sndfile" extension="wav" name="WAV" has-sample-format="true" channel-limit="256"/>
  <SampleRate rate="1"/>
  <SRCQuality quality="SRC_SincBest"/>
  <EncodingOptions>
    <Option name="sample-format" value="SF_Float"/>
    <Option name="dithering" value="D_None"/>
    <Option name="tag-metadata" value="false"/>
    <Option name="tag-support" value="false"/>
    <Option name="broadcast-info" value="false"/>
  </EncodingOptions>
  <Processing>
    <Normalize enabled="false" loudness="no" dbfs="0" lufs="-23" dbtp="-1"/>
    <Silence>
      <Start><Trim enabled="false"/><Add enabled="false"><Duration format="Timecode" hours="0" minutes="0" seconds="0" frames="0"/></Add></Start>
      <End><Trim enabled="false"/><Add enabled="false"><Duration format="Timecode" hours="0" minutes="0" seconds="0" frames="0"/></Add></End>
    </Silence>
  </Processing>
</ExportFormatSpecification>
''' % FORMAT)
    write(os.path.join(folder, 'floats.preset'), '''<?xml version="1.0" encoding="UTF-8"?>
<ExportPreset id="%s" name="floats">
  <ExportFormat id="%s"/>
  <ExportFilename>
    <Folder relative="1" path="export"/>
    <Field name="label" enabled="0"/>
    <Field name="session" enabled="0"/>
    <Field name="snapshot" enabled="0"/>
    <Field name="timespan" enabled="1"/>
    <Field name="revision" enabled="0"/>
    <Field name="time" enabled="0" value="T_None"/>
    <Field name="date" enabled="0" value="D_None"/>
  </ExportFilename>
</ExportPreset>
''' % (PRESET, FORMAT))


def wave_chunks(data):
    """Of a WAVE file: where each chunk's bytes begin and end."""
    found, at = {}, 12
    while at + 8 <= len(data):
        size = struct.unpack_from('<I', data, at + 4)[0]
        found.setdefault(bytes(data[at:at + 4]), (at + 8, at + 8 + size))
        at += 8 + size + (size & 1)
    return found


class Session:
    """Makes the session at once; play() may then be called. frames: that are exported; more: of Ardour's environment."""

    def __init__(self, bundles, tracks, frames, channels=None, **more):
        self.folder = scratch()
        self.bundles, self.tracks, self.frames = bundles, tracks, frames
        self.more = more
        self.channels = channels or max(track.channels for track in tracks)
        self.place = os.path.join(self.folder, 'session')
        write_export_preset(os.path.join(self.folder, 'config', 'ardour7', 'export'))
        entries = [dict(name=track.name, uri=track.uri, channels=track.channels, start=track.start, frames=len(track.sound), preset=track.preset,
                        values=list(track.values.items()),
                        automation=[dict(port=port, state=state, points=points) for port, state, points in track.automation])
                   for track in tracks]
        write(os.path.join(self.folder, 'plan.lua'), 'return ' + lua(
            dict(folder=self.place, name='session', rate=RATE, frames=frames, channels=self.channels, preset=PRESET, tracks=entries)))
        self.facts = self.run('make')
        for track in tracks:
            self.overwrite(track)

    def run(self, stage):
        """A stage in a process of its own; the lines that the script printed, in words."""
        # 95: no AVX-512 in Ardour's own mixing, which overruns its buffers in version 7.3.
        done = run(['timeout', '-k', '5', '120', 'ardour7-lua', os.path.join(HERE, 'ardour_session.lua')], ok=None, cwd=self.folder,
                   MILLRACE_STAGE=stage, MILLRACE_PLAN=os.path.join(self.folder, 'plan.lua'), LV2_PATH=self.bundles, ARDOUR_FPU_FLAGS='95',
                   XDG_CONFIG_HOME=os.path.join(self.folder, 'config'), XDG_CACHE_HOME=os.path.join(self.folder, 'cache'),
                   XDG_DATA_HOME=os.path.join(self.folder, 'data'), HOME=self.folder, **self.more)
        assert done.returncode == 0, '%s: exit status %d\n%s' % (stage, done.returncode, done.stdout)
        return [line.split()[1:] for line in done.stdout.splitlines() if line.startswith('= ')]

    def overwrite(self, track):
        """The samples of a track's region, in place: Ardour keeps a file for each channel."""
        folder = os.path.join(self.place, 'interchange', 'session', 'audiofiles')
        own = re.compile(re.escape(track.name) + r'(?:%(L|R|\d+))?\.wav')
        found = [match for match in map(own.fullmatch, os.listdir(folder)) if match]
        names = [match.group() for match in sorted(found, key=lambda match: int({None: 0, 'L': 0, 'R': 1}.get(match.group(1), match.group(1))))]
        assert len(names) == track.channels, os.listdir(folder)
        for channel, name in enumerate(names):
            with open(os.path.join(folder, name), 'r+b') as file:
                data = file.read()
                chunks = wave_chunks(data)
                kind, channels, rate = struct.unpack_from('<HHI', data, chunks[b'fmt '][0])
                begin, end = chunks[b'data']
                assert (kind, channels, rate, end - begin) == (3, 1, RATE, 4 * len(track.sound)), name
                file.seek(begin)
                file.write(np.ascontiguousarray(track.sound[:, channel], '<f4').tobytes())

    def play(self):
        """Loads and exports; what was exported, frames by channels. What was read back is in .facts."""
        self.facts = self.run('play')
        with open(os.path.join(self.place, 'export.wav'), 'rb') as file:
            data = file.read()
        chunks = wave_chunks(data)
        kind, channels, rate = struct.unpack_from('<HHI', data, chunks[b'fmt '][0])
        if kind == 0xfffe:
            kind = struct.unpack_from('<H', data, chunks[b'fmt '][0] + 24)[0]
        assert (kind, channels, rate) == (3, self.channels, RATE), (kind, channels, rate)
        begin, end = chunks[b'data']
        return np.frombuffer(data[begin:end], '<f4').reshape(-1, channels)

    def values(self, track):
        """Read back, by port index."""
        return {int(words[2]): float(words[3]) for words in self.facts if words[:2] == ['value', track.name]}
