# docs/presets.md tells of every factory preset, and of none that there is not; bank files are installed as the build writes them.
# SPDX-License-Identifier: ISC
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'project'))
from harness import BUILD, SOURCE, main, read, run  # noqa: E402

sys.path.insert(0, os.path.join(SOURCE, 'ttl'))
import presets as factory  # noqa: E402


def test_the_tables_are_those_of_the_presets():
    page = read(SOURCE, 'docs', 'presets.md')
    tables = page[page.index('\n### ') + 1:]
    assert tables == factory.page(factory.read()), 'python3 ttl/presets.py table prints them as they are now'


def test_titles_sort_and_texts_are_whole():
    presets = factory.read()
    titles = [preset.title for preset in presets]
    assert len(set(titles)) == len(titles) > 100
    for preset in presets:
        assert re.fullmatch(r'[A-Z][^"\\|]+', preset.title) and len(preset.title) <= 48, preset.title
        assert re.fullmatch(r'[A-Z0-9].+\.', preset.what) and '|' not in preset.comment, preset.what
        assert '{' not in preset.text, preset.name
        number = re.search(r'(?:order|[Oo]ctave) (\d+)', preset.title)
        assert not number or len(number.group(1)) == 2, preset.title
    for group in ('Weighting', 'Octave bands', 'Third-octave bands', 'Playback'):
        assert all(preset.source for preset in presets if preset.group == group), group
    bands = [preset.title for preset in presets if re.match(r'Third-octave \d', preset.title)]
    assert [title.split(': ')[1] for title in bands][:4] == ['20 Hz', '25 Hz', '31.5 Hz', '40 Hz'] and bands[-1].endswith(': 20 kHz'), bands


def test_bank_files_are_written():
    folder = os.path.join(BUILD, 'banks')
    if not os.path.isdir(folder):  # of a build without the command and the plugins
        return
    for preset in factory.read():
        assert read(folder, preset.name + '.txt') == preset.text


def test_the_script_prints_what_it_says():
    script = [sys.executable, '-B', os.path.join(SOURCE, 'ttl', 'presets.py')]
    assert run(script + ['names']).stdout.split() == [preset.name + '.txt' for preset in factory.read()]


if __name__ == '__main__':
    main(globals())
