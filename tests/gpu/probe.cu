// What nvcc compiles to see that primitives and kernels are CUDA: the test of the tools, no part of any module.
// SPDX-License-Identifier: ISC
#include "every_primitive.cuh"
#include "scan.cuh"

static const MrKernel<ScanParameters> kernels[] = {scan_kernel<Planted::nothing>, scan_kernel<Planted::no_ticket>};

// Launches in both ways: by name, and through a table.
cudaError_t launch_probe(unsigned which, cudaStream_t stream, const ScanParameters& scan, const Results& results) {
  if (which < 2) {
    MR_LAUNCH(kernels[which], 1, SCAN_THREADS, SCAN_TILE * sizeof(unsigned), stream, scan);
  } else if (which == 2) {
    MR_LAUNCH((scan_kernel<Planted::nothing>), 1, SCAN_THREADS, SCAN_TILE * sizeof(unsigned), stream, scan);
  } else {
    MR_LAUNCH(everything, 1, 64, 0, stream, results);
  }
  return cudaGetLastError();
}
