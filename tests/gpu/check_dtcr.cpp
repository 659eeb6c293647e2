// The paper's DTCR.
// SPDX-License-Identifier: ISC
#include "paper_checks.h"

int main() { return mr_test::PaperChecks<MrMethodDTCR>{"DTCR", MR_GPU_DTCR}.run(); }
