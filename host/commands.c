/* The list of commands.
   SPDX-License-Identifier: ISC */
#include "command.h"

const MrCommand* const mr_commands[] = {&mr_command_render, &mr_command_sos, &mr_command_info, &mr_command_bench, NULL};
