# The plugins' ports: the one table that the C code, the Turtle and the interface come from.
# SPDX-License-Identifier: ISC
#
# Indices and symbols are for ever: sessions and presets hold them. A port is added at the end of its plugin's list alone, and
# tests/plugin/ports.golden, which holds them all, only grows. What stands here in prose is shown by hosts beside the port.
COUNTS = (1, 2, 4, 6, 8, 9, 10, 12, 16, 24, 25, 32, 36, 49, 64)
BANDS = 16
SETS = 8

# Kinds of ports
CONTROL_IN, CONTROL_OUT, ATOM_IN, ATOM_OUT, AUDIO_IN, AUDIO_OUT = 'control_in', 'control_out', 'atom_in', 'atom_out', 'audio_in', 'audio_out'


class Port:
    """kind; symbol; name, and a short one of 16 letters at most; group: a symbol of GROUPS; comment. For controls: default, least and most;
    unit: a term of the LV2 units extension, one of UNITS, or None; points: labels of the whole numbers from least; flags: toggled, integer, logarithmic,
    hidden (not for generic interfaces), latency; steps: that a knob has; priority; designation: an LV2 term."""

    def __init__(self, kind, symbol, name, short, group, comment, default=0.0, least=0.0, most=1.0, unit=None, points=(), flags=(), steps=None,
                 priority=None, designation=None):
        assert len(short) <= 16, short
        self.kind, self.symbol, self.name, self.short, self.group, self.comment = kind, symbol, name, short, group, comment
        self.default, self.least, self.most = default, least, most
        self.unit, self.points, self.flags, self.steps, self.priority, self.designation = unit, points, flags, steps, priority, designation


# Units of our own, for what has none: name, how a host prints a value.
UNITS = {'q': ('quality', '%.2f'), 'count': ('number', '%.0f')}


class Group:
    def __init__(self, symbol, name):
        self.symbol, self.name = symbol, name


class Property:
    """What a plugin keeps in its state or tells by messages: symbol, name, type (an atom's), whether a host may write it, whether it is kept,
    comment."""

    def __init__(self, symbol, name, kind, writable, kept, comment):
        self.symbol, self.name, self.kind, self.writable, self.kept, self.comment = symbol, name, kind, writable, kept, comment


class Plugin:
    """symbol: of its URI and files; ports before the audio ports; `last`: ports behind them, by the channel count."""

    def __init__(self, symbol, name, kind, short, text, groups, ports, last, properties):
        self.symbol, self.name, self.kind, self.short, self.text = symbol, name, kind, short, text
        self.groups, self.ports, self.last, self.properties = groups, ports, last, properties


# ------------------------------------------------------------------- shared

MAIN, METERS = Group('main', 'Main'), Group('meters', 'Meters')

MESSAGES = [
    Port(ATOM_IN, 'control', 'Control', 'Control', 'main', 'Messages to the plugin: properties to set and to ask for.', designation='control'),
    Port(ATOM_OUT, 'notify', 'Notify', 'Notify', 'main', 'Messages from the plugin: properties as they are, and that its state has changed.',
         designation='control'),
    Port(CONTROL_IN, 'enabled', 'Enabled', 'Enabled', 'main', 'Off: fades within 21 milliseconds to the input as it is, to the bit.', 1, flags=('toggled',), priority=100,
         designation='enabled'),
    Port(CONTROL_IN, 'freewheel', 'Freewheel', 'Freewheel', 'main', 'Set by hosts that run faster than real time. The samples are the same.',
         flags=('toggled', 'hidden'), designation='freeWheeling')]

GAIN = Port(CONTROL_IN, 'gain', 'Output gain', 'Gain', 'main', 'Gain of all channels behind the filters; glides.', 0, -60, 30, 'db', steps=901, priority=95)


def outputs(status):
    return [
        Port(CONTROL_OUT, 'latency', 'Latency', 'Latency', 'meters', 'Always 0: the plugin has no latency.', 0, 0, 0, 'frame', flags=('integer', 'latency'),
             designation='latency'),
        Port(CONTROL_OUT, 'status', 'Status', 'Status', 'meters', 'What the plugin has to say of itself.', 0, 0, len(status) - 1, points=status,
             flags=('integer',)),
        Port(CONTROL_OUT, 'peak_in', 'Input peak', 'In', 'meters',
             'Peak of the loudest input, falling by 20 dB a second; rests while the output is the input.', -120, -120, 60, 'db'),
        Port(CONTROL_OUT, 'peak_out', 'Output peak', 'Out', 'meters',
             'Peak of the loudest output, falling by 20 dB a second; rests while the output is the input.', -120, -120, 60, 'db'),
        Port(CONTROL_OUT, 'clips', 'Clipped samples', 'Clips', 'meters',
             'Samples beyond full scale since activation, in the channel that has the most of them.', 0, 0, 1 << 24, flags=('integer',))]


# ----------------------------------------------------------------------- EQ

# In the order of MrEqType in plugin/eq_settings.h.
TYPES = ('Bell', 'Low shelf', 'High shelf', 'Low-pass', 'High-pass', 'Band-pass', 'Notch', 'All-pass', 'Butterworth low-pass', 'Butterworth high-pass',
         'Linkwitz-Riley low-pass', 'Linkwitz-Riley high-pass', 'Bessel low-pass', 'Bessel high-pass')
FREQUENCIES = (20, 31.5, 50, 80, 125, 200, 315, 500, 800, 1250, 2000, 3150, 5000, 8000, 12500, 16000)
EQ_STATUS = ('Fine', 'A band lies above what this sample rate can hold, and is off', 'A channel had numbers beyond all bounds and was restarted')


def band(number):
    b, group = 'b%d_' % number, 'band%d' % number
    first = 90 - 5 * ((number - 1) // 4)

    def port(symbol, name, comment, *rest, **more):
        return Port(CONTROL_IN, b + symbol, 'Band %d %s' % (number, name), '%d %s' % (number, name), group, comment, *rest, priority=first, **more)

    return [
        port('on', 'on', 'Whether the band filters.', 0, flags=('toggled',)),
        port('type', 'type', 'What the band does.', 0, 0, len(TYPES) - 1, points=TYPES, flags=('integer',)),
        port('freq', 'frequency', 'Centre or corner frequency.', FREQUENCIES[number - 1], 5, 40000, 'hz', flags=('logarithmic',), steps=1301),
        port('gain', 'gain', 'Gain of bells and shelves.', 0, -30, 30, 'db', steps=601),
        port('q', 'Q', 'Quality of all types but Butterworth, Linkwitz-Riley and Bessel.', 0.7071, 0.05, 100, 'q', flags=('logarithmic',), steps=331),
        port('order', 'order', 'Order of Butterworth, Linkwitz-Riley (an odd one is rounded up) and Bessel filters: 6 dB an octave each.', 2, 1, 16, 'count',
             flags=('integer',)),
        port('set', 'channel set', 'Which channels the band filters: 0 all of them, 1 to 8 those of a set, which is a property.', 0, 0, SETS, 'count',
             flags=('integer',))]


EQ = Plugin(
    'eq', 'Millrace EQ', 'ParaEQPlugin', 'An equaliser of 16 bands for any number of channels, without latency',
    'Sixteen bands of bells, shelves, passes of any order to 16 and more, each on all channels or on a set of them. Filters follow '
    'their analogue models up to half the sample rate or, if asked, the bilinear formulas that other equalisers use. Everything glides without a '
    'click, latency is zero, and the samples do not depend on the host\'s blocks.',
    [MAIN] + [Group('band%d' % n, 'Band %d' % n) for n in range(1, BANDS + 1)] + [METERS],
    MESSAGES + [
        GAIN,
        Port(CONTROL_IN, 'mode', 'Mode', 'Mode', 'main', 'Matched filters follow the analogue ones up to half the sample rate; RBJ\'s are what most equalisers have.', 1,
             points=('RBJ', 'Matched'), flags=('integer',), priority=94)]
    + [port for number in range(1, BANDS + 1) for port in band(number)] + outputs(EQ_STATUS),
    {2: [Port(CONTROL_IN, 'mid_side', 'Mid/side', 'M/S', 'main', 'The bands filter mid (set 1) and side (set 2) in place of left and right.', 0,
              flags=('toggled',), priority=93)]},
    [Property('set%d' % n, 'Channels of set %d' % n, 'String', True, True, 'Numbers and ranges of channels, from 1: "1-4 7".') for n in range(1, SETS + 1)]
    + [Property('solo', 'Solo', 'Int', True, False, 'The one band to be heard, or 0 for all.')])


# --------------------------------------------------------------------- Bank

# In the order of MrBankStatus in plugin/keeper.h.
BANK_STATUS = ('Fine', 'The file cannot be read', 'The file is larger than 4 MB', 'The text is not that of a bank', 'A filter is unstable or no filter',
               'The coefficients are for another sample rate', 'The bank does not fit the channels', 'There is not enough memory',
               'The file on disk is no longer what plays', 'A channel had numbers beyond all bounds and was restarted')

BANK = Plugin(
    'bank', 'Millrace Bank', 'FilterPlugin', 'Plays a bank of filters from a file, without latency',
    'Plays banks of filters, routes and delays as Equalizer APO, REW, AutoEq and others write them, with lines of its own for filters of high order, '
    'crossovers and weighting curves, and tables of coefficients. The session keeps the file\'s content, so it sounds the same wherever it is opened.',
    [MAIN, METERS],
    MESSAGES + [
        Port(CONTROL_IN, 'preamp', 'Preamp', 'Preamp', 'main', 'Gain of all channels before the filters, beside the bank\'s own; glides.', 0, -60, 30, 'db', steps=901, priority=96),
        GAIN,
        Port(CONTROL_IN, 'mode', 'Mode', 'Mode', 'main', 'How the bank\'s filters are designed: as its file says, or all of them RBJ\'s or matched.', 0, 0, 2,
             points=('As the file says', 'RBJ', 'Matched'), flags=('integer',), priority=94),
        Port(CONTROL_IN, 'on_error', 'On error', 'On error', 'main',
             'What is heard while a bank is refused and none plays. One with routes, delays or crossovers protects loudspeakers: then, and where the bank could not be read to its end, always silence.', 0,
             points=('Silence', 'The input'), flags=('integer',), priority=93)]
    + outputs(BANK_STATUS)
    + [Port(CONTROL_OUT, 'muted', 'Muted', 'Muted', 'meters', 'Whether the output is silent because a bank was refused.', 0, flags=('toggled',))],
    {},
    [Property('file', 'Bank file', 'Path', True, True, 'The file to play. Its content is what a session keeps.'),
     Property('message', 'Message', 'String', False, False, 'What reading the file found.')])

PLUGINS = (EQ, BANK)

# ----------------------------------------------------------------- channels

# Loudspeakers in the order of WAVE files: letters, name, LV2 designation.
SPEAKERS = (('L', 'left', 'left'), ('R', 'right', 'right'), ('C', 'centre', 'center'), ('LFE', 'LFE', 'lowFrequencyEffects'),
            ('BL', 'back left', 'rearLeft'), ('BR', 'back right', 'rearRight'), ('SL', 'side left', 'sideLeft'), ('SR', 'side right', 'sideRight'),
            ('TFL', 'top front left', None), ('TFR', 'top front right', None), ('TBL', 'top back left', None), ('TBR', 'top back right', None))
NAMED = {1: ('MonoGroup', (('M', 'mono', 'center'),)), 2: ('StereoGroup', SPEAKERS[:2]), 6: ('FivePointOneGroup', SPEAKERS[:6]),
         8: ('SevenPointOneGroup', SPEAKERS[:8]), 10: ('DiscreteGroup', SPEAKERS[:10]), 12: ('DiscreteGroup', SPEAKERS[:12])}


def channels(count):
    """The LV2 class of a group of so many channels, and of each: letters, name, LV2 designation or None."""
    return NAMED.get(count) or ('DiscreteGroup', tuple((str(n), str(n), None) for n in range(1, count + 1)))


def audio(count):
    """The audio ports: inputs, then outputs."""
    ports = []
    for kind, word, symbol in ((AUDIO_IN, 'Input', 'in'), (AUDIO_OUT, 'Output', 'out')):
        for n, (letters, name, designation) in enumerate(channels(count)[1], 1):
            ports.append(Port(kind, '%s_%d' % (symbol, n), '%s %s' % (word, name), '%s %s' % (word[:6], letters), symbol + 'puts',
                              '%s of channel %d.' % (word, n), designation=designation))
    return ports


def ports(plugin, count):
    """All ports of a plugin, in the order of their indices."""
    return plugin.ports + audio(count) + plugin.last.get(count, [])
