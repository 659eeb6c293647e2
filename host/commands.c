/* The list of commands.
   SPDX-License-Identifier: ISC */
#include "command.h"

const MrCommand* const mr_commands[] = {
    &mr_command_render,
#ifdef MR_HAVE_JACK
    &mr_command_jack,
#endif
    &mr_command_plot,   &mr_command_sos, &mr_command_info, &mr_command_bench, NULL,
};
