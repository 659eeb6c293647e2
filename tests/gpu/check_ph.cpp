// The paper's PH.
// SPDX-License-Identifier: ISC
#include "paper_checks.h"

int main() { return mr_test::PaperChecks<MrMethodPH>{"PH", MR_GPU_PH}.run(); }
