// A small harness for programs that need no test library: named checks, and the count at the end.
// SPDX-License-Identifier: ISC
#ifndef MILLRACE_TEST_CHECKS_H
#define MILLRACE_TEST_CHECKS_H

#include <cstdio>
#include <cstdlib>
#include <string>

struct Checks {
  int passed = 0, failed = 0;
  bool current = true;  // nothing in the running test has failed

  void expect(bool holds, const char* text, const char* file, int line) {
    if (holds) return;
    if (current) std::printf("FAILED:\n");
    std::printf("  %s:%d: %s\n", file, line, text);
    current = false;
  }
  template <class Test>
  void run(const char* name, Test test) {
    current = true;
    std::printf("%s ... ", name);
    std::fflush(stdout);
    test();
    if (current) std::printf("ok\n");
    (current ? passed : failed)++;
  }
  int end() const {
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed ? EXIT_FAILURE : EXIT_SUCCESS;
  }
};

inline Checks checks;

#define EXPECT(...) checks.expect((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

// Says what was found where it is not what was expected.
template <class A, class B>
void expect_equal(const A& found, const B& wanted, const char* text, const char* file, int line) {
  if (found == static_cast<A>(wanted)) return;
  checks.expect(false, (std::string(text) + ": found " + std::to_string(found) + ", not " + std::to_string(wanted)).c_str(), file, line);
}
#define EXPECT_EQUAL(found, wanted) expect_equal(found, wanted, #found, __FILE__, __LINE__)

#endif
