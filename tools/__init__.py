# What ./waf does beyond compiling.
# SPDX-License-Identifier: ISC
