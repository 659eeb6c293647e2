// Runs CUDA kernels as C++ on the CPU: what gpu/primitives.cuh includes where no CUDA compiler reads it.
// SPDX-License-Identifier: ISC
//
// Every CUDA thread is a fiber, and goes on until it waits for others; who goes next is drawn from a seed. Lanes that meet where they should not,
// threads that wait for ever, addresses that are not allocated and stores that others see too early are reported with their lines. See options.h.
#ifndef MILLRACE_EMULATOR_H
#define MILLRACE_EMULATOR_H

#include "kernels.h"
#include "runtime.h"

#endif
