# ./waf test fails where it must: a failing, crashing, hanging or empty test, none at all, and what had to be left out after a setup.
# SPDX-License-Identifier: ISC
import os
import re

from harness import main, small_project, waf, write

folder = None


def outcome(tests, *arguments, ok=False, **more):
    """Output of ./waf test with these scripts (name, text) as the only tests."""
    global folder
    if folder is None:
        folder = small_project()
        waf(folder, 'configure', '--no-cross')
    place = os.path.join(folder, 'tests')
    for name in os.listdir(place) if os.path.isdir(place) else []:
        os.remove(os.path.join(place, name))
    for name, text in tests.items():
        write(os.path.join(place, name), text)
    return waf(folder, 'test', *arguments, ok=ok, **more).stdout


def last_count(text):
    return re.findall(r'^(\d+ passed, \d+ failed)$', text, re.M)[-1]


def test_passing():
    text = outcome({'test_a.sh': 'echo "3 passed, 0 failed"', 'test_b.py': 'print("2 passed, 0 failed")'}, ok=True)
    assert last_count(text) == '5 passed, 0 failed', text


def test_failing():
    text = outcome({'test_a.sh': 'echo a clear reason; echo "3 passed, 2 failed"; exit 1', 'test_b.sh': 'echo "1 passed, 0 failed"'})
    assert last_count(text) == '4 passed, 2 failed' and 'a clear reason' in text, text


def test_exit_status_and_count_must_agree():
    assert last_count(outcome({'test_a.sh': 'echo "3 passed, 0 failed"; exit 1'})) == '3 passed, 1 failed'
    assert last_count(outcome({'test_a.sh': 'echo "3 passed, 1 failed"'})) == '3 passed, 1 failed'


def test_counting_nothing_is_failing():
    assert last_count(outcome({'test_a.sh': 'echo fine'})) == '0 passed, 1 failed'
    assert last_count(outcome({'test_a.sh': 'echo "0 passed, 0 failed"'})) == '0 passed, 1 failed'


def test_no_test_is_failing():
    assert 'no such test' in outcome({})
    assert 'no such test' in outcome({'test_a.sh': 'echo "1 passed, 0 failed"'}, '--filter=other')


def test_a_signal_is_failing():
    text = outcome({'test_a.sh': 'echo "1 passed, 0 failed"; kill -SEGV $$'})
    assert last_count(text) == '1 passed, 1 failed' and 'signal 11' in text, text


def test_what_cmocka_prints_is_counted():
    text = outcome({'test_a.sh': 'echo "[==========] Running 3 test(s)."; echo "[  PASSED  ] 2 test(s)."; '
                                 'echo "[  FAILED  ] 1 test(s), listed below:"; exit 1'})
    assert last_count(text) == '2 passed, 1 failed', text
    text = outcome({'test_a.sh': 'echo "[ RUN      ] a"; echo "[       OK ] a"; echo "[ RUN      ] b"; kill -ABRT $$'})
    assert last_count(text) == '1 passed, 1 failed', text


def test_the_filter_chooses():
    tests = {'test_a.sh': 'echo "1 passed, 0 failed"', 'test_b.sh': 'exit 1'}
    for choice in ('a', 'test_a', 'tests/test_a', '*a'):
        assert last_count(outcome(tests, '--filter=' + choice, ok=True)) == '1 passed, 0 failed'


def test_each_has_a_folder_of_its_own_that_goes_away():
    text = outcome({'test_a.sh': 'cd "$TMPDIR"; mkdir -p locked/inside; chmod 0 locked; pwd >&2; echo "1 passed, 0 failed"; exit 1'})
    path = re.search(r'^/.*millrace-test-.*$', text, re.M).group()
    assert not os.path.exists(path)


def test_left_out_is_said_and_fails_where_all_was_asked_for():
    tests = {'test_a.sh': 'echo "1 passed, 0 failed"', 'test_b.c': 'int main(void) { return 0; }\n'}
    without = {'PKG_CONFIG_LIBDIR': '/nowhere', 'PKG_CONFIG_PATH': ''}
    waf(folder, 'configure', '--no-cross', **without)
    text = outcome(tests, ok=True)
    assert 'Left out: 1 C test programs: cmocka is missing' in text and last_count(text) == '1 passed, 0 failed', text
    assert last_count(outcome(tests, '--complete')) == '1 passed, 1 failed'
    waf(folder, 'configure')


def test_a_script_says_what_it_needs():
    tests = {
        'test_a.py': '# Needs: sh cat\nprint("1 passed, 0 failed")\n',
        'test_b.py': '# Needs: sh no-such-host\n# Needs: tests/no_such_tool\nprint("1 passed, 0 failed")\n',
    }
    text = outcome(tests, ok=True)
    assert last_count(text) == '1 passed, 0 failed', text
    assert 'Left out: tests/test_b.py: no-such-host is missing; tests/no_such_tool is not built: a library is missing' in text, text
    assert last_count(outcome(tests, '--complete')) == '1 passed, 1 failed'


def test_c_programs_run_with_what_they_share():
    tests = {
        'shared.c': 'int shared(void);\nint shared(void) { return 7; }\n',
        'check_a.c': '#include <stdio.h>\nint shared(void);\n'
                     'int main(int n, char** v) { (void)v; printf("%d passed, 0 failed\\n", shared() + 10 * (n > 1)); return 0; }\n',
    }
    text = outcome(tests, ok=True)
    counts = [int(n) for n in re.findall(r'^ok +(\d+) passed', text, re.M)]
    assert counts.count(7) == 1 and set(counts) <= {7, 17}, text  # emulators get --quick


def test_the_sanitizers_see():
    tests = {
        'check_race.c': '#include <pthread.h>\n#include <stdio.h>\nstatic int x;\n'
                        'static void* go(void* p) { for (int i = 0; i < 1000; i++) x++; return p; }\n'
                        'int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, go, 0);\n  pthread_create(&b, 0, go, 0);\n'
                        '  pthread_join(a, 0);\n  pthread_join(b, 0);\n  puts(x ? "1 passed, 0 failed" : "");\n}\n',
        'check_over.c': '#include <stdio.h>\nint main(int n, char** v) {\n  const int a[2] = {1, 2};\n  (void)v;\n'
                        '  puts(a[n + 1] + 1 ? "1 passed, 0 failed" : "1 passed,  0 failed");\n}\n',
        'check_fine.c': '#include <stdio.h>\nint main(void) { puts("1 passed, 0 failed"); }\n',
    }
    for sanitize, culprit, said in (('thread', 'check_race', 'data race'), ('address,undefined', 'check_over', 'out of bounds')):
        text = outcome(tests, '--sanitize=' + sanitize)
        assert re.search(r'^FAILED .*%s' % culprit, text, re.M) and said in text, text
        assert re.search(r'^ok .*check_fine$', text, re.M), text


main(globals())
