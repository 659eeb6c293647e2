#!/bin/sh
# Builds on a machine with a card, checks every kernel on it, and measures: one JSON file and one table.
# SPDX-License-Identifier: ISC
#
#   tests/gpu/device.sh [FOLDER]      the results go to FOLDER, else build/device-results
#
# It needs a C and C++ compiler, Python and nvcc; what else is there (compute-sanitizer, libsndfile, CuPy, torchaudio) is used, and what is not is said.
# A millrace that was built elsewhere may be given as MILLRACE_BROUGHT, for the figures that need libsndfile. Under five minutes on eight cores.
# With MILLRACE_DRY set, everything runs in the emulator with the shortest sizes: to see that the script works.
set -u
cd "$(dirname "$0")/../.." || exit 1
SOURCE=$(pwd)
BUILD=${MILLRACE_DEVICE_BUILD:-$SOURCE/build/device}
OUT=${1:-$SOURCE/build/device-results}
JOBS=$(nproc)
mkdir -p "$OUT" "$BUILD"
STARTED=$(date +%s)
PASSED=0
FAILED=0

say() { printf '%4d s  %s\n' $(($(date +%s) - STARTED)) "$*"; }
count() { # NAME CODE
  if [ "$2" -eq 0 ]; then PASSED=$((PASSED + 1)); say "passed: $1"; else FAILED=$((FAILED + 1)); say "FAILED: $1"; fi
}

say "building, $JOBS at a time"
if ! (./waf -o "$BUILD" configure --no-cross && ./waf -o "$BUILD" build -j"$JOBS") > "$OUT/build.log" 2>&1; then
  tail -20 "$OUT/build.log"
  exit 1
fi
grep -i 'left out' "$OUT/build.log"

# The kernels' checks, compiled for this card; or, dry, for the emulator.
LIBRARY="$BUILD/libmillrace-internal.a"
LINK="-lpthread -lm -ldl"
grep -q '^HAVE_TBB = 1' "$BUILD/c4che/_cache.py" && LINK="$LINK -ltbb -lstdc++"
CHECKS="segments states ph stcr dtcr plr"
[ -z "${MILLRACE_DRY:-}" ] || CHECKS="ph"
compile_check() { # NAME
  if [ -n "${MILLRACE_DRY:-}" ]; then
    # shellcheck disable=SC2086
    g++ -std=c++20 -O1 -ffp-contract=off -I"$SOURCE" -I"$SOURCE/tests/gpu/emulator" -I"$SOURCE/tests/gpu" -I"$SOURCE/dsp" \
      "$SOURCE/tests/gpu/check_$1.cpp" "$SOURCE"/tests/gpu/emulator/[!c]*.cpp "$BUILD/tables.o" "$BUILD/fiber.o" "$LIBRARY" $LINK -o "$BUILD/check_$1"
  else
    # shellcheck disable=SC2086
    nvcc -x cu -std=c++20 -O2 -fmad=false -Xcompiler -ffp-contract=off -arch=native -I"$SOURCE" -I"$SOURCE/tests/gpu/device" -I"$SOURCE/tests/gpu" \
      -I"$SOURCE/dsp" "$SOURCE/tests/gpu/check_$1.cpp" -x none "$BUILD/tables.o" "$LIBRARY" $LINK -o "$BUILD/check_$1"
  fi
}
cc -std=c17 -O2 -ffp-contract=off -c "$SOURCE/gpu/tables.c" -o "$BUILD/tables.o" || exit 1
cc -std=c17 -O2 -c "$SOURCE/tests/gpu/emulator/fiber.c" -o "$BUILD/fiber.o" || exit 1
for name in $CHECKS; do
  compile_check "$name" > "$OUT/check_$name.log" 2>&1 &
done
wait
say "checks compiled"
for name in $CHECKS; do
  timeout 60 "$BUILD/check_$name" >> "$OUT/check_$name.log" 2>&1
  code=$?
  [ $code -eq 0 ] || tail -5 "$OUT/check_$name.log"
  count "check_$name" $code
done

if [ -z "${MILLRACE_DRY:-}" ] && command -v compute-sanitizer > /dev/null; then
  for tool in memcheck racecheck synccheck; do
    timeout 40 compute-sanitizer --tool $tool --error-exitcode 9 "$BUILD/check_ph" > "$OUT/sanitizer_$tool.log" 2>&1
    code=$?
    if [ $code -eq 124 ]; then say "compute-sanitizer $tool: out of time"; else count "compute-sanitizer $tool" $code; fi
  done
else
  say "left out: compute-sanitizer is not here"
fi

# Throughput.
QUICK=
[ -z "${MILLRACE_DRY:-}" ] || QUICK=--quick
# shellcheck disable=SC2086
cc -std=c17 -D_XOPEN_SOURCE=700 -O2 -I"$SOURCE" -I"$SOURCE/dsp" "$SOURCE/tests/gpu/device/bench_device.c" "$SOURCE/gpu/library.c" "$SOURCE/gpu/plan.c" \
  "$SOURCE/gpu/cost_model.c" "$LIBRARY" $LINK -o "$BUILD/bench_device" || exit 1
if [ -n "${MILLRACE_DRY:-}" ]; then
  MILLRACE_GPU_MODULE=${MILLRACE_GPU_MODULE:-$(find "$BUILD" -name millrace-emulator.so | head -1)}
else
  MILLRACE_GPU_MODULE=${MILLRACE_GPU_MODULE:-$(find "$BUILD" -name millrace-cuda.so | head -1)}
fi
export MILLRACE_GPU_MODULE
timeout 170 "$BUILD/bench_device" $QUICK --json "$OUT/kernels.json" --table "$OUT/kernels.txt"
count "throughput" $?
cat "$OUT/kernels.txt"

# Others on the same card.
python3 "$SOURCE/tests/gpu/device/peers_device.py" --json "$OUT/peers.json" ${QUICK:+--quick} || say "left out: peers"

# Whole files, and the cores of this machine.
MILLRACE=
[ -x "$BUILD/millrace" ] && MILLRACE=$BUILD/millrace
[ -n "$MILLRACE" ] || MILLRACE=${MILLRACE_BROUGHT:-}
if [ -n "$MILLRACE" ] && "$MILLRACE" --version > /dev/null 2>&1; then
  python3 "$SOURCE/tests/gpu/device/render_device.py" "$MILLRACE" --json "$OUT/render.json" ${QUICK:+--quick}
  count "render on the card against the CPU" $?
  timeout 60 "$MILLRACE" bench --threads "$([ "$JOBS" -ge 16 ] && echo 2,4,8,16 || echo "$JOBS")" --channels 1,16,64 --orders 16 ${QUICK:+--quick} --json \
    > "$OUT/threads.json" 2> "$OUT/threads.log"
  count "threads" $?
else
  say "left out: render and threads, which need libsndfile, popt and jansson or a millrace in MILLRACE_BROUGHT"
fi

python3 - "$OUT" <<'END'
import json, os, sys
folder, everything = sys.argv[1], {}
for name in ('kernels', 'peers', 'render', 'threads'):
    path = os.path.join(folder, name + '.json')
    if os.path.exists(path):
        try:
            everything[name] = json.load(open(path))
        except ValueError:
            everything[name] = None
json.dump(everything, open(os.path.join(folder, 'device.json'), 'w'), indent=1)
END
say "results: $OUT/device.json, $OUT/kernels.txt"
echo "$PASSED passed, $FAILED failed"
[ "$FAILED" -eq 0 ]
