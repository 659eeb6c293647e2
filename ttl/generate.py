# Writes from the port table what the plugin's C code and LV2 hosts read of it.
# SPDX-License-Identifier: ISC
#
# Usage: generate.py names | generate.py header OUT | generate.py source OUT | generate.py bundle FOLDER VERSION MAINTAINER EMAIL HOMEPAGE
# `names` prints the bundle's Turtle files. `header` and `source` write C's view: indices, symbols, ranges. `bundle` writes manifest.ttl, a file for each plugin and channel
# count, and one for each factory preset.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ports as table  # noqa: E402
import presets as factory  # noqa: E402

PREFIXES = '''@prefix atom: <http://lv2plug.in/ns/ext/atom#> .
@prefix bufsz: <http://lv2plug.in/ns/ext/buf-size#> .
@prefix doap: <http://usefulinc.com/ns/doap#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix idpy: <http://harrisonconsoles.com/lv2/inlinedisplay#> .
@prefix log: <http://lv2plug.in/ns/ext/log#> .
@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix opts: <http://lv2plug.in/ns/ext/options#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix patch: <http://lv2plug.in/ns/ext/patch#> .
@prefix pg: <http://lv2plug.in/ns/ext/port-groups#> .
@prefix pprops: <http://lv2plug.in/ns/ext/port-props#> .
@prefix pset: <http://lv2plug.in/ns/ext/presets#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rsz: <http://lv2plug.in/ns/ext/resize-port#> .
@prefix state: <http://lv2plug.in/ns/ext/state#> .
@prefix units: <http://lv2plug.in/ns/extensions/units#> .
@prefix urid: <http://lv2plug.in/ns/ext/urid#> .
@prefix work: <http://lv2plug.in/ns/ext/worker#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

'''
BINARY = 'millrace.so'
PROJECT = 'urn:millrace:project'
LICENCE = 'http://opensource.org/licenses/isc'


def uri(plugin, word):
    return 'urn:millrace:%s#%s' % (plugin.symbol, word)


def literal(text):
    return '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"')


def number(value, integer=False):
    return '%d' % value if integer else repr(float(value))


def statements(subject, facts):
    """Turtle of one subject from pairs of predicate and object."""
    return '%s\n%s .\n\n' % (subject, ' ;\n'.join('\t%s %s' % fact for fact in facts if fact[1] is not None))


# ---------------------------------------------------------------------- C


def c_number(value):
    return repr(float(value)) + 'f'


def controls(plugin):
    """The ports of a table in C: all but the audio ports, those of some channel counts alone at the end."""
    return plugin.ports + [port for count in sorted(plugin.last) for port in plugin.last[count]]


def header():
    text = ('/* The plugins\' ports as C sees them. Written by ttl/generate.py from ttl/ports.py. */\n'
            '#ifndef MILLRACE_PORTS_H\n#define MILLRACE_PORTS_H\n\n'
            'typedef enum MrPortKind { MR_CONTROL_IN, MR_CONTROL_OUT, MR_ATOM_IN, MR_ATOM_OUT } MrPortKind;\n\n'
            '/* Values that the port takes; an output has no use for the first. */\n'
            'typedef struct MrPort {\n  MrPortKind kind;\n  const char* symbol;\n  float initial, least, most;\n} MrPort;\n\n')
    text += '#define MR_EQ_BANDS %du\n#define MR_EQ_SETS %du\n\n' % (table.BANDS, table.SETS)
    text += '/* Channel counts of the plugins: X(n) for each. */\n#define MR_PLUGIN_COUNTS(X) %s\n\n' % ' '.join('X(%d)' % n for n in table.COUNTS)
    for plugin in table.PLUGINS:
        prefix = 'MR_%s_' % plugin.symbol.upper()
        last = sum(map(len, plugin.last.values()))
        assert len(plugin.last) <= 1, 'one table cannot hold the last ports of several channel counts'
        text += '/* Indices. Audio inputs and outputs come behind these, and then the ports that only some channel counts have. */\nenum {\n'
        text += ''.join('  %s%s = %d,\n' % (prefix, port.symbol.upper(), index) for index, port in enumerate(plugin.ports))
        text += '  %sAUDIO = %d,\n  %sLAST = %d /* how many come last */\n};\n' % (prefix, len(plugin.ports), prefix, last)
        if plugin is table.EQ:
            text += '\n/* Of a band, from its first port on. */\nenum { %s, MR_EQ_BAND_PORTS };\n' % ', '.join(
                'MR_EQ_BAND_' + port.symbol.split('_')[1].upper() for port in table.band(1))
        text += 'extern const MrPort mr_%s_ports[%d]; /* by index; the last ones behind them */\n\n' % (plugin.symbol, len(controls(plugin)))
    return text + '#endif\n'


def source():
    text = '/* The plugins\' ports as C sees them. Written by ttl/generate.py from ttl/ports.py. */\n#include "ports.h"\n'
    for plugin in table.PLUGINS:
        text += '\nconst MrPort mr_%s_ports[] = {\n' % plugin.symbol
        for port in controls(plugin):
            text += '    {MR_%s, "%s", %s, %s, %s},\n' % ((port.kind.upper(), port.symbol) + tuple(map(c_number, (port.default, port.least, port.most))))
        text += '};\n'
    return text


# ------------------------------------------------------------------ Turtle


def port_facts(plugin, index, port, prefix=''):
    control = port.kind in (table.CONTROL_IN, table.CONTROL_OUT)
    kinds = {'control': 'lv2:ControlPort', 'atom': 'atom:AtomPort', 'audio': 'lv2:AudioPort'}
    kind, way = port.kind.split('_')
    facts = [('a', 'lv2:%sPort , %s' % (way.title() + 'put', kinds[kind])), ('lv2:index', str(index)), ('lv2:symbol', literal(port.symbol)),
             ('lv2:name', literal(port.name)), ('lv2:shortName', literal(port.short)), ('rdfs:comment', literal(port.comment)),
             ('pg:group', '<%s>' % uri(plugin, prefix + port.group))]
    if port.designation:
        facts.append(('lv2:designation', ('pg:' if kind == 'audio' else 'lv2:') + port.designation))
    if kind == 'atom':
        facts += [('atom:bufferType', 'atom:Sequence'), ('atom:supports', 'patch:Message'), ('lv2:portProperty', 'lv2:connectionOptional'), ('rsz:minimumSize', '8192')]  # a path and a message at once
    if not control:
        return facts
    whole = 'integer' in port.flags or 'toggled' in port.flags
    if way == 'in':
        facts.append(('lv2:default', number(port.default, whole)))
    facts += [('lv2:minimum', number(port.least, whole)), ('lv2:maximum', number(port.most, whole))]
    if port.unit:
        facts.append(('units:unit', '<%s>' % unit_uri(port.unit) if port.unit in table.UNITS else 'units:' + port.unit))
    flags = {'toggled': 'lv2:toggled', 'integer': 'lv2:integer', 'logarithmic': 'pprops:logarithmic', 'hidden': 'pprops:notOnGUI', 'latency': 'lv2:reportsLatency'}
    properties = [flags[flag] for flag in port.flags] + (['lv2:enumeration'] if port.points else [])
    if properties:
        facts.append(('lv2:portProperty', ' , '.join(properties)))
    if port.points:
        facts.append(('lv2:scalePoint', ' , '.join('[ rdfs:label %s ; rdf:value %d ]' % (literal(label), value) for value, label in enumerate(port.points, int(port.least)))))
    if port.steps:
        facts.append(('pprops:rangeSteps', str(port.steps)))
    if port.priority is not None:
        facts.append(('pprops:displayPriority', str(port.priority)))
    return facts


def unit_uri(name):
    return 'urn:millrace:unit#' + name


def extension_text():
    """What the inline display's words are: validators look for that, and no package of LV2's has it."""
    return ''.join(statements('idpy:' + word, [('a', 'lv2:' + kind)]) for word, kind in (('interface', 'ExtensionData'), ('queue_draw', 'Feature'), ('in_gui', 'Feature')))


def units_text():
    return ''.join(statements('<%s>' % unit_uri(name), [('a', 'units:Unit'), ('rdfs:label', literal(label)), ('units:symbol', '""'), ('units:render', literal(render))])
                   for name, (label, render) in sorted(table.UNITS.items()))


def blank(facts):
    return '[\n%s\n\t]' % ' ;\n'.join('\t\t%s %s' % fact for fact in facts)


def group_text(plugin, group, more=()):
    return statements('<%s>' % uri(plugin, group.symbol), [('a', 'pg:Group'), ('lv2:name', literal(group.name)), ('lv2:symbol', literal(group.symbol))] + list(more))


def audio_groups(plugin, count):
    kind, names = table.channels(count)
    text = ''
    for symbol, name, way in (('inputs', 'Inputs', 'pg:InputGroup'), ('outputs', 'Outputs', 'pg:OutputGroup')):
        elements = ' , '.join('[ lv2:index %d ; lv2:designation pg:%s ]' % (index, designation) for index, (_, _, designation) in enumerate(names) if designation)
        text += statements('<%s>' % uri(plugin, '%d_%s' % (count, symbol)),
                           [('a', '%s , pg:%s' % (way, kind)), ('lv2:name', literal(name)), ('lv2:symbol', literal(symbol)), ('pg:element', elements or None)]
                           + ([('pg:source', '<%s>' % uri(plugin, '%d_inputs' % count))] if symbol == 'outputs' else []))
    return text


def plugin_text(plugin, count, about):
    """Who maintains it stands with the project, where hosts look too: LV2's schemas want no maintainer of a plugin."""
    minor, micro = [int(part) for part in about['version'].split('.')[1:3]]
    major = int(about['version'].split('.')[0])
    here = [port_node(plugin, port) for port in plugin.ports]
    for index, port in enumerate(table.ports(plugin, count)):
        if index >= len(plugin.ports):
            here.append(blank(port_facts(plugin, index, port, '%d_' % count if port.group in ('inputs', 'outputs') else '')))
    name = '%s %d' % (plugin.name, count)
    writable = [p for p in plugin.properties if p.writable]
    readable = [p for p in plugin.properties if not p.writable]
    facts = [('a', 'lv2:Plugin , lv2:' + plugin.kind), ('lv2:project', '<%s>' % PROJECT), ('doap:name', literal(name)),
             ('doap:shortdesc', literal(plugin.short)), ('rdfs:comment', literal(plugin.text)), ('doap:license', '<%s>' % LICENCE),
             ('lv2:minorVersion', str(2 * (100 * major + minor))), ('lv2:microVersion', str(2 * micro)), ('lv2:requiredFeature', 'urid:map'),
             ('lv2:optionalFeature', 'lv2:hardRTCapable , bufsz:boundedBlockLength , opts:options , log:log , state:threadSafeRestore , state:mapPath , '
                                     'state:freePath , idpy:queue_draw , idpy:in_gui' + (' , work:schedule' if plugin is table.BANK else '')),
             ('lv2:extensionData', 'state:interface , idpy:interface' + (' , work:interface' if plugin is table.BANK else '')),
             ('opts:supportedOption', 'bufsz:maxBlockLength'),
             ('patch:writable', ' , '.join('<%s>' % uri(plugin, p.symbol) for p in writable) or None),
             ('patch:readable', ' , '.join('<%s>' % uri(plugin, p.symbol) for p in readable) or None),
             ('pg:mainInput', '<%s>' % uri(plugin, '%d_inputs' % count)), ('pg:mainOutput', '<%s>' % uri(plugin, '%d_outputs' % count)),
             ('lv2:port', ' , '.join(here))]
    text = PREFIXES + statements('<%s>' % uri(plugin, count), facts) + audio_groups(plugin, count)
    return text


def port_node(plugin, port):
    return '<%s>' % uri(plugin, 'port_' + port.symbol)


def shared_text(plugin):
    """What all channel counts have in common. Their control ports are the same nodes of the graph: a host that looks at all plugins of the
    bundle reads them once, in place of fifteen times."""
    text = ''.join(group_text(plugin, group) for group in plugin.groups)
    text += ''.join(statements(port_node(plugin, port), port_facts(plugin, index, port)) for index, port in enumerate(plugin.ports))
    for p in plugin.properties:
        text += statements('<%s>' % uri(plugin, p.symbol), [('a', 'lv2:Parameter'), ('rdfs:label', literal(p.name)), ('rdfs:comment', literal(p.comment)),
                                                           ('rdfs:range', 'atom:' + p.kind)])
    return text


def state_text():
    """Properties that only states hold; presets have them too."""
    return ''.join(statements('<%s>' % name, [('a', 'rdf:Property , owl:DatatypeProperty'), ('rdfs:label', literal(label)), ('rdfs:comment', literal(comment))])
                   for name, label, comment in (('urn:millrace:version', 'State format', 'Counts the formats of states.'),
                                                (uri(table.BANK, 'content'), 'Content', 'The text of the bank that plays.')))


def project_text(about):
    return (statements('<%s>' % PROJECT, [('a', 'doap:Project'), ('doap:name', '"Millrace"'), ('doap:shortdesc', '"Cascades of biquads on many channels at once"'),
                                         ('doap:homepage', '<%s>' % about['homepage']), ('doap:license', '<%s>' % LICENCE),
                                         ('doap:maintainer', '<urn:millrace:maintainer>')])
            + statements('<urn:millrace:maintainer>', [('a', 'foaf:Person'), ('foaf:name', literal(about['maintainer'])), ('foaf:mbox', '<mailto:%s>' % about['email']),
                                                     ('foaf:homepage', '<%s>' % about['homepage'])]))


def manifest(about):
    text = PREFIXES
    for plugin in table.PLUGINS:
        for count in table.COUNTS:
            text += statements('<%s>' % uri(plugin, count), [('a', 'lv2:Plugin'), ('lv2:binary', '<%s>' % BINARY), ('rdfs:seeAlso', '<%s-%d.ttl>' % (plugin.symbol, count)),
                                                           ('lv2:minorVersion', None)])
        text += shared_text(plugin)
    return text + units_text() + state_text() + extension_text() + project_text(about) + factory.manifest(factory.read())


def files(about):
    """All Turtle of the bundle, by file name."""
    result = {'manifest.ttl': manifest(about)}
    for plugin in table.PLUGINS:
        for count in table.COUNTS:
            result['%s-%d.ttl' % (plugin.symbol, count)] = plugin_text(plugin, count, about)
    result.update((factory.file_name(preset), factory.turtle(preset)) for preset in factory.read())
    return result


def names():
    return (['manifest.ttl'] + ['%s-%d.ttl' % (plugin.symbol, count) for plugin in table.PLUGINS for count in table.COUNTS]
            + [factory.file_name(preset) for preset in factory.read()])


def main(arguments):
    if arguments[0] == 'names':
        print('\n'.join(names()))
        return
    if arguments[0] in ('header', 'source'):
        with open(arguments[1], 'w', encoding='utf-8') as out:
            out.write(header() if arguments[0] == 'header' else source())
        return
    folder = arguments[1]
    about = dict(zip(('version', 'maintainer', 'email', 'homepage'), arguments[2:]))
    os.makedirs(os.path.join(folder, 'presets'), exist_ok=True)
    for name, text in files(about).items():
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
            out.write(text)


if __name__ == '__main__':
    main(sys.argv[1:])
