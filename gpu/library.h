/* The module that talks to cards, opened when it is first asked for.
   SPDX-License-Identifier: ISC

   It is millrace-cuda.so in the folder millrace/ beside libmillrace, or in gpu/ beside the program in a folder where it was built; or whatever
   $MILLRACE_GPU_MODULE names. Once opened it stays so until the process ends. */
#ifndef MILLRACE_GPU_LIBRARY_H
#define MILLRACE_GPU_LIBRARY_H

#include "millrace_gpu.h"

/* The module's table. NULL with *status and why[MR_GPU_WHY]: MR_GPU_NO_DRIVER where no module is there, or not one of this version; MR_GPU_LOST in a child
   of a process that had opened it. Thread: control, any; opens files, allocates and waits for others that ask at the same time. */
const MrGpuApi* mr_gpu_library(MrGpuStatus* status, char* why);

/* Cards there are, as MrGpuApi's devices(), module and all. */
MrGpuStatus mr_gpu_library_devices(MrGpuDevice* device, uint32_t room, uint32_t* count, char* why);

#endif
