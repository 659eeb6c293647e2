// The paper's STCR.
// SPDX-License-Identifier: ISC
#include "paper_checks.h"

int main() { return mr_test::PaperChecks<MrMethodSTCR>{"STCR", MR_GPU_STCR}.run(); }
