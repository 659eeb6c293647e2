# Qtractor on a screen that nobody sees: it opens a session that holds the plugin, runs it, and ends as it should.
# SPDX-License-Identifier: ISC
# Needs: qtractor Xvfb jackd jack_lsp tests/hosts/recorder.so tests/hosts/no_sequencer.so
import os
import time

from jack import Server
from lv2 import BUNDLE, TOOLS, folder_of_bundles, main, port_indices, recording_bundle, scratch, write

URI = 'urn:millrace:eq#2'
PERIOD = 1024
GAIN = -7.5


def write_session(folder):
    path = os.path.join(folder, 'test.qtr')
    write(path, '''<!DOCTYPE qtractor-session>
<session name="test" version="0.9.31">
 <properties>
  <directory>%s</directory>
  <sample-rate>48000</sample-rate>
  <tempo>120</tempo>
 </properties>
 <devices>
  <audio-engine>
   <audio-bus name="Master" mode="duplex">
    <channels>2</channels>
    <auto-connect>1</auto-connect>
    <output-plugins>
     <plugin type="LV2">
      <filename>%s</filename>
      <index>0</index>
      <label>%s</label>
      <params>
       <param name="gain" index="%d">%g</param>
      </params>
      <activated>1</activated>
     </plugin>
    </output-plugins>
   </audio-bus>
  </audio-engine>
 </devices>
</session>
''' % (folder, URI, URI, port_indices(URI)['gain'], GAIN))
    return path


def start_screen(server):
    """Its display: Xvfb takes the first number that is free."""
    number = os.path.join(server.folder, 'display')
    screen = server.start(['sh', '-c', 'exec Xvfb -displayfd 9 -screen 0 1024x768x24 -nolisten tcp 9>"%s"' % number], 'xvfb.log')

    def ready():
        with open(number) as text:
            return text.read().endswith('\n')
    server.wait('Xvfb', lambda: os.path.exists(number) and ready(), screen, 'xvfb.log')
    with open(number) as text:
        return ':' + text.read().strip()


def test_a_session_with_the_plugin_opens_runs_and_ends():
    bundle, log, recording = recording_bundle()
    with Server(PERIOD) as server:
        display = start_screen(server)
        folder = scratch()
        os.chmod(folder, 0o700)
        session = write_session(folder)
        qtractor = server.start(['qtractor', session], 'qtractor.log', DISPLAY=display, LV2_PATH=folder_of_bundles(bundle), HOME=folder,
                                XDG_CONFIG_HOME=os.path.join(folder, 'config'), XDG_RUNTIME_DIR=folder, LANG='C.UTF-8',
                                LD_PRELOAD=os.path.join(TOOLS, 'no_sequencer.so'), **recording)

        def maps():
            with open('/proc/%d/maps' % qtractor.pid) as text:
                return text.read()

        server.wait('the plugin in Qtractor', lambda: os.path.join(BUNDLE, 'millrace.so') in maps(), qtractor, 'qtractor.log')
        server.wait("Qtractor's bus", lambda: any(port.startswith('test:') or port.startswith('Qtractor:') for port in server.ports()), qtractor,
                    'qtractor.log')
        time.sleep(1)  # of cycles in which it runs
        assert qtractor.poll() is None, server.said('qtractor.log')
        qtractor.terminate()
        assert qtractor.wait(60) == 0, 'it ended with %d:\n%s' % (qtractor.returncode, server.said('qtractor.log'))
    with open(log) as text:  # written when the instance went
        lines = text.read().splitlines()
    assert 'activate' in lines and lines.count('run %d -1' % PERIOD) > 10, lines[:40]
    last = [line for line in lines if line.startswith('set %d ' % port_indices(URI)['gain'])][-1]
    assert float.fromhex(last.split()[2]) == GAIN, last


main(globals())
