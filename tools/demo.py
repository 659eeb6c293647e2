# The demo: a 7.1 recording made of the voices in Debian's alsa-utils, through a bank of a filter for each channel.
# SPDX-License-Identifier: ISC
"""demo.py MILLRACE FOLDER: writes input.wav and bank.txt into FOLDER, renders output.wav with the command MILLRACE, draws before-and-after.png, prints how
it went."""
import json
import os
import struct
import subprocess
import sys
import wave

VOICES = '/usr/share/sounds/alsa'
# In WAVE order. Each voice says where its loudspeaker stands.
CHANNELS = [('L', 'Front_Left'), ('R', 'Front_Right'), ('C', 'Front_Center'), ('LFE', 'Noise'), ('BL', 'Rear_Left'), ('BR', 'Rear_Right'),
            ('SL', 'Side_Left'), ('SR', 'Side_Right')]
MASK = 0x63F  # the loudspeakers above, as WAVE counts them
RATE = 48000
PCM = bytes.fromhex('0100000000001000800000aa00389b71')

BANK = '''\
# Millrace's demo: a high-pass and three bells for the voices, and a low-pass for the low-frequency effects.
Preamp: -3 dB
Channel: L R C BL BR SL SR
Filter 1: ON Butterworth HP Order 8 Fc 80 Hz
Filter 2: ON PK Fc 250 Hz Gain -3 dB Q 1.41
Filter 3: ON PK Fc 3000 Hz Gain 2.5 dB Q 1
Filter 4: ON PK Fc 7500 Hz Gain -2 dB Q 2
Channel: LFE
Filter 5: ON LinkwitzRiley LP Order 4 Fc 120 Hz
'''


def read_voice(name):
    """The samples of a voice, 16 bit."""
    path = os.path.join(VOICES, name + '.wav')
    try:
        with wave.open(path, 'rb') as voice:
            if (voice.getnchannels(), voice.getsampwidth(), voice.getframerate()) != (1, 2, RATE):
                sys.exit('%s: expected one channel of 16 bit at %d Hz' % (path, RATE))
            data = voice.readframes(voice.getnframes())
    except (OSError, wave.Error, EOFError) as error:
        sys.exit('%s: %s. The voices come with the package alsa-utils: ./waf setup demo installs it.' % (path, error))
    return memoryview(data).cast('h')


def write_input(path):
    """Each voice in turn, on its own channel alone. Returns the frames."""
    voices = [read_voice(name) for _, name in CHANNELS]
    n, frames = len(voices), sum(map(len, voices))
    samples = memoryview(bytearray(2 * n * frames)).cast('h')
    at = 0
    for channel, voice in enumerate(voices):
        samples[at * n + channel:(at + len(voice)) * n:n] = voice
        at += len(voice)
    form = struct.pack('<HHIIHHHHI16s', 0xFFFE, n, RATE, RATE * 2 * n, 2 * n, 16, 22, 16, MASK, PCM)
    with open(path, 'wb') as out:
        out.write(struct.pack('<4sI4s4sI', b'RIFF', 4 + 8 + len(form) + 8 + samples.nbytes, b'WAVE', b'fmt ', len(form)) + form)
        out.write(struct.pack('<4sI', b'data', samples.nbytes))
        out.write(samples)
    return frames


def draw(program, bank, source, picture):
    """The voices' spectra before and after, and the filters between. What came of it, in words; a build without cairo or kissfft draws none."""
    done = subprocess.run([program, 'plot', '-b', bank, source, '--channels', '1-3,5-8', '--dark', '--title', 'Voices before and after', '-o', picture],
                          stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode == 0:
        return picture
    if 'built without' in done.stderr:
        return 'left out: ' + done.stderr.partition(': this ')[2].partition(' (see')[0].strip()
    sys.stderr.write(done.stderr)
    sys.exit(done.returncode)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    source, bank, target = (os.path.join(folder, name) for name in ('input.wav', 'bank.txt', 'output.wav'))
    frames = write_input(source)
    with open(bank, 'w') as out:
        out.write(BANK)
    done = subprocess.run([program, 'render', '--json', '-b', bank, source, '-o', target], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    report = json.loads(done.stdout)
    print('input     %s: the voices of %s, %s' % (source, VOICES, ' '.join(name for name, _ in CHANNELS)))
    print('bank      %s:' % bank)
    print(''.join('            %s\n' % line for line in BANK.splitlines()[1:]), end='')
    print('size      %d channels x %d frames, %.1f s at %d Hz' % (len(CHANNELS), frames, frames / RATE, RATE))
    print('time      %.4f s, %.0f times real time' % (report['seconds'], report['times_real_time']))
    print('clips     %d samples' % report['clips']['count'])
    print('result    %s' % target)
    print('picture   %s' % draw(program, bank, source, os.path.join(folder, 'before-and-after.png')))
    bundle = os.path.join(os.path.dirname(os.path.abspath(program)), 'lv2', 'millrace.lv2')
    if os.path.exists(os.path.join(bundle, 'millrace.so')):
        print('plugins   %s: ./waf configure --prefix=$HOME/.local --lv2-user install puts it into ~/.lv2, where Ardour and other LV2 hosts find it; or at once\n'
              "            LV2_PATH=%s:/usr/lib/lv2 jalv 'urn:millrace:eq#2'" % (bundle, os.path.dirname(bundle)))


if __name__ == '__main__':
    main()
