# The factory presets: the bank files of presets/, and what they are as presets of the plugins.
# SPDX-License-Identifier: ISC
#
# Usage: presets.py names | presets.py banks FOLDER | presets.py table
# `names` prints the bank files' names, `banks` writes them, `table` prints the tables of docs/presets.md. The presets' Turtle is part of the
# bundle, which generate.py writes.
#
# A bank file begins with comments that say what is known of it:
#   # Title: what hosts show, and sort by
#   # Group: the pset:Bank it is in
#   # For: what it is good for, in a sentence or two
#   # Source: of its numbers, a standard and its edition; left out where it is taste
#   # Channels: all, or counts and ranges of them, as in 2-64
# NAME.txt is one preset. *.txt.in is a family, one for each row of a table behind `# Each: WORD...`, rows `#   VALUE...`; {WORD} stands for the
# value, and `# Name:` says what each is called. A bank that the EQ's bands can hold is a preset of the EQ, and any other one of the Bank.
import base64
import glob
import os
import re
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import ports as table  # noqa: E402

FOLDER = os.path.join(os.path.dirname(HERE), 'presets')
URI = 'urn:millrace:preset#'
GROUP_URI = 'urn:millrace:preset-group#'
STATE_FORMAT = 1  # as plugin/later.h counts
KEYS = ('Title', 'Group', 'For', 'Source', 'Channels')


class Preset:
    """name: of the bank file and in the URI; counts: channels it serves; text: the bank file's; values: of the EQ's ports by symbol, or
    None for the Bank."""

    def __init__(self, name, text):
        head = dict(re.findall(r'^# (%s): (.+)$' % '|'.join(KEYS), text, re.M))
        assert set(KEYS) - {'Source'} <= set(head), '%s: lacks %s' % (name, set(KEYS) - set(head))
        assert re.fullmatch(r'[a-z0-9.-]+', name), name
        self.name, self.text, self.uri = name, text, URI + name
        self.title, self.group, self.what, self.source = head['Title'], head['Group'], head['For'], head.get('Source')
        self.counts = counts(head['Channels'])
        assert self.counts, '%s: no plugin has so many channels' % name
        self.values = eq_values(text)

    @property
    def plugin(self):
        return table.BANK if self.values is None else table.EQ

    @property
    def comment(self):
        return self.what + (' Source: %s.' % self.source if self.source else '')


def counts(words):
    if words == 'all':
        return table.COUNTS
    ends = [[int(end) for end in word.split('-')] for word in words.split()]
    return tuple(n for n in table.COUNTS if any(pair[0] <= n <= pair[-1] for pair in ends))


# ----------------------------------------------------------------- bank files


def expand(text):
    """The bank files that a family stands for: pairs of name and text."""
    found = re.search(r'^# Name: (.+)\n# Each: (.+)\n((?:#   .+\n)+)', text, re.M)
    name, head, rows = found.groups()
    plain = text.replace(found.group(), '')
    for row in rows.splitlines():
        values = shlex.split(row[1:])
        words = head.split()
        assert len(values) == len(words), '%s: %s' % (name, row)
        yield tuple(re.sub(r'\{(\w+)\}', lambda word: dict(zip(words, values))[word.group(1)], part) for part in (name, plain))


def read(folder=FOLDER):
    """All presets, in the order of their titles."""
    found = []
    for path in glob.glob(os.path.join(folder, '*.txt')) + glob.glob(os.path.join(folder, '*.txt.in')):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        found += [Preset(*one) for one in (expand(text) if path.endswith('.in') else [(os.path.basename(path)[:-4], text)])]
    for what in ('name', 'title'):
        seen = [getattr(preset, what).lower() for preset in found]
        assert len(set(seen)) == len(seen), 'two presets have one %s' % what
    return sorted(found, key=lambda preset: (preset.group, preset.title))


# ------------------------------------------------------------------------ EQ

# What a line's type is among the EQ's types, by their order in the port table.
SHAPES = {'PK': 'Bell', 'LSC': 'Low shelf', 'HSC': 'High shelf', 'LPQ': 'Low-pass', 'HPQ': 'High-pass', 'BP': 'Band-pass', 'NO': 'Notch', 'AP': 'All-pass'}
FAMILIES = {'Butterworth': 'Butterworth', 'LinkwitzRiley': 'Linkwitz-Riley', 'Bessel': 'Bessel'}
WAYS = {'LP': 'low-pass', 'HP': 'high-pass'}
NUMBER = r'(-?\d+(?:\.\d+)?)'


def band_of(line):
    """Values of a band by the ends of their ports' symbols; None where no band of the EQ is that filter."""
    shape = re.fullmatch(r'(\w+) Fc %s Hz(?: Gain %s dB)? Q %s' % (NUMBER, NUMBER, NUMBER), line)
    if shape and shape.group(1) in SHAPES and (shape.group(3) is not None) == (shape.group(1) in ('PK', 'LSC', 'HSC')):
        return {'type': table.TYPES.index(SHAPES[shape.group(1)]), 'freq': float(shape.group(2)), 'gain': float(shape.group(3) or 0),
                'q': float(shape.group(4))}
    family = re.fullmatch(r'(\w+) (LP|HP) Order (\d+) Fc %s Hz' % NUMBER, line)
    if family and family.group(1) in FAMILIES:
        return {'type': table.TYPES.index('%s %s' % (FAMILIES[family.group(1)], WAYS[family.group(2)])), 'order': int(family.group(3)),
                'freq': float(family.group(4))}
    return None


def eq_values(text):
    """The EQ's control inputs that make a bank's filters, all that a preset holds; None where there are none. A band that is off stands as the
    plugin starts with it."""
    symbols = [port for port in table.EQ.ports if port.kind == table.CONTROL_IN and port.symbol not in ('enabled', 'freewheel')]
    values = {port.symbol: port.default for port in symbols}
    values['mode'] = 0  # of a bank that says nothing
    band = 0
    for line in filter(None, (line.partition('#')[0].strip() for line in text.splitlines())):
        preamp = re.fullmatch(r'Preamp: %s dB' % NUMBER, line)
        mode = re.fullmatch(r'Mode: (RBJ|Matched)', line)
        shaped = band_of(line[len('Filter: ON '):]) if line.startswith('Filter: ON ') else None
        if preamp:
            values['gain'] += float(preamp.group(1))
        elif mode and not band:
            values['mode'] = table.EQ.ports[[port.symbol for port in table.EQ.ports].index('mode')].points.index(mode.group(1))
        elif shaped and band < table.BANDS:
            band += 1
            values['b%d_on' % band] = 1
            values.update(('b%d_%s' % (band, end), value) for end, value in shaped.items())
        else:
            return None
    return values if band and all(port.least <= values[port.symbol] <= port.most for port in symbols) else None


# -------------------------------------------------------------------- Turtle

PREFIXES = '''@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix pset: <http://lv2plug.in/ns/ext/presets#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix state: <http://lv2plug.in/ns/ext/state#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

'''


def literal(text):
    return '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"')


def applies(preset):
    return ' , '.join('<urn:millrace:%s#%d>' % (preset.plugin.symbol, count) for count in preset.counts)


def group_uri(group):
    return GROUP_URI + group.lower().replace(' ', '-')


def file_name(preset):
    return 'presets/%s.ttl' % preset.name


def manifest(presets):
    """What the bundle's manifest says of them: that they are there, and where. All else is read when a host wants it."""
    text = ''.join('<%s>\n\ta pset:Preset ;\n\tlv2:appliesTo %s ;\n\trdfs:seeAlso <%s> .\n\n' % (preset.uri, applies(preset), file_name(preset)) for preset in presets)
    for group in sorted({preset.group for preset in presets}):
        text += '<%s>\n\ta pset:Bank ;\n\trdfs:label %s .\n\n' % (group_uri(group), literal(group))
    return text


def turtle(preset):
    """A preset's own file. The Bank's ports are at rest but for its answer to errors, which is the user's."""
    values = preset.values or {'preamp': 0, 'gain': 0, 'mode': 0}
    state = [('<urn:millrace:version>', '"%d"^^xsd:int' % STATE_FORMAT)]
    if preset.plugin is table.BANK:
        content = base64.b64encode(preset.text.encode()).decode()
        state.insert(0, ('<urn:millrace:bank#content>', '"%s"^^xsd:base64Binary' % content))
    facts = [('a', 'pset:Preset'), ('lv2:appliesTo', applies(preset)), ('rdfs:label', literal(preset.title)), ('rdfs:comment', literal(preset.comment)),
             ('pset:bank', '<%s>' % group_uri(preset.group)),
             ('lv2:port', ' , '.join('[\n\t\tlv2:symbol "%s" ;\n\t\tpset:value %r\n\t]' % (symbol, float(value)) for symbol, value in values.items())),
             ('state:state', '[\n%s\n\t]' % ' ;\n'.join('\t\t%s %s' % fact for fact in state))]
    return PREFIXES + '<%s>\n%s .\n' % (preset.uri, ' ;\n'.join('\t%s %s' % fact for fact in facts))


# ---------------------------------------------------------------------- page


def ranges(numbers, of):
    """Numbers as people write them: 1-64 for all from 1 to 64 that are in `of`."""
    runs = []
    for number in numbers:
        if runs and of.index(number) == of.index(runs[-1][1]) + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ', '.join('%d' % first if first == last else '%d%s%d' % (first, ', ' if of.index(last) == of.index(first) + 1 else '-', last) for first, last in runs)


def page(presets):
    """The tables of docs/presets.md, of which a test sees that they are these."""
    text = ''
    for group in sorted({preset.group for preset in presets}):
        text += '### %s\n\n| name | title | plugin | channels | for |\n|---|---|---|---|---|\n' % group
        for preset in (preset for preset in presets if preset.group == group):
            text += '| `%s` | %s | %s | %s | %s |\n' % (preset.name, preset.title, 'EQ' if preset.values else 'Bank', ranges(preset.counts, table.COUNTS), preset.comment)
        text += '\n'
    return text.rstrip('\n') + '\n'


def main(arguments):
    presets = read()
    if arguments[0] == 'names':
        print('\n'.join(preset.name + '.txt' for preset in presets))
    elif arguments[0] == 'table':
        print(page(presets), end='')
    elif arguments[0] == 'banks':
        os.makedirs(arguments[1], exist_ok=True)
        for preset in presets:
            with open(os.path.join(arguments[1], preset.name + '.txt'), 'w', encoding='utf-8') as out:
                out.write(preset.text)


if __name__ == '__main__':
    main(sys.argv[1:])
