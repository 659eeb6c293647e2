/* The command `millrace`: finds the command that is meant.
   SPDX-License-Identifier: ISC */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dsp/millrace.h"
#include "command.h"
#include "message.h"

static const MrCommand* find(const char* name) {
  for (int i = 0; mr_commands[i]; ++i)
    if (strcmp(mr_commands[i]->name, name) == 0) return mr_commands[i];
  return NULL;
}

static int help(const char* name) {
  const MrCommand* const command = name ? find(name) : NULL;
  if (name && !command) {
    mr_say_error("there is no command %s (see millrace help)", name);
    return MR_EXIT_USAGE;
  }
  if (command) {
    mr_command_help(command, stdout);
  } else {
    mr_command_overview(stdout);
  }
  return MR_EXIT_DONE;
}

/* Whether each word of MILLRACE_CPU is a level, and one of them runs here: a slip of the pen must not measure or render something else. */
static bool cpu_levels_are_known(void) {
  const char* at = getenv("MILLRACE_CPU");
  uint32_t named = 0;
  if (!at || !*at) return true;
  for (size_t length; *at; at += length + (at[length] != '\0')) {
    length = strcspn(at, ", ");
    uint32_t level = MR_CPU_REFERENCE;
    while (level <= MR_CPU_NEON &&
           (strlen(mr_cpu_level_name((MrCpuLevel)level)) != length || strncmp(mr_cpu_level_name((MrCpuLevel)level), at, length) != 0))
      level <<= 1;
    if (length && level > MR_CPU_NEON) {
      mr_say_error("MILLRACE_CPU: there is no CPU level %.*s (see millrace help)", (int)length, at);
      return false;
    }
    if (length) named |= level;
  }
  if (mr_cpu_levels() & named) return true;
  mr_say_error("MILLRACE_CPU names no CPU level that this machine has");
  return false;
}

static int dispatch(int argc, const char** argv) {
  if (argc < 2) {
    mr_command_overview(stderr);
    return MR_EXIT_USAGE;
  }
  const char* const name = argv[1];
  if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return help(argc > 2 ? argv[2] : NULL);
  if (strcmp(name, "--version") == 0) {
    printf("millrace %s\n", mr_version());
    return MR_EXIT_DONE;
  }
  if (strcmp(name, "man") == 0) {
    mr_command_man(stdout);
    return MR_EXIT_DONE;
  }
  const MrCommand* const command = find(name);
  if (command) return cpu_levels_are_known() ? command->run(command, argc - 1, argv + 1) : MR_EXIT_USAGE;
  return help(name);
}

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write() like any other */
  signal(SIGXFSZ, SIG_IGN); /* and so is a file-size limit */
  int code = dispatch(argc, (const char**)(void*)argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    if (code == MR_EXIT_DONE) {
      mr_say_error("standard output cannot be written");
      code = MR_EXIT_FILE;
    }
  }
  return code;
}
