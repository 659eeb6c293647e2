/* Millrace: cascades of second-order sections on many channels at once.
   SPDX-License-Identifier: ISC

   The public header: designs, sections, banks, programs, engines.

   Conventions that hold everywhere unless a comment says otherwise:
   - Frequencies and rates are in Hz, gains in dB where the name ends in _db and linear elsewhere, times in the unit of the name.
   - Channels count from 0 in C and from 1 in texts and messages.
   - "Thread: control" functions may allocate, block and use libm; "Thread: real-time" ones do none of it but libm.
   - No function keeps a pointer to its arguments after it returns, unless it says so.
   - Nothing here reads or changes the locale. */
#ifndef MILLRACE_H
#define MILLRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MR_API __attribute__((visibility("default")))
#else
#define MR_API
#endif

/* ---------------------------------------------------------------- limits */

#define MR_MAX_CHANNELS        1024u     /* of an engine, a bank, a file */
#define MR_MAX_ORDER           32u       /* of the analogue low-pass prototype */
#define MR_MAX_DESIGN_SECTIONS 32u       /* a band-pass of order 32 */
#define MR_MAX_ROOTS           64u       /* poles, and zeros, of an analogue design */
#define MR_MAX_VARIANTS        8u        /* of a program, beside itself */
#define MR_CELL                64u       /* frames of the stream between two changes */
#define MR_MIN_RATE            1.0       /* Hz */
#define MR_MAX_RATE            6144000.0 /* Hz */

/* ---------------------------------------------------------------- status */

typedef enum MrStatus {
  MR_OK = 0,
  MR_ERR_MEMORY,     /* no memory */
  MR_ERR_ARGUMENT,   /* a call that makes no sense: a null pointer, a count of 0 */
  MR_ERR_NOT_FINITE, /* a NaN or an infinity among numbers */
  MR_ERR_RANGE,      /* a number outside its range that cannot be clamped */
  MR_ERR_UNSTABLE,   /* a pole on or outside the unit circle */
  MR_ERR_RATE,       /* coefficients of another sample rate */
  MR_ERR_SYNTAX,     /* text that the grammar does not have */
  MR_ERR_ROUTE,      /* a route that cannot be made */
  MR_ERR_CHANNELS,   /* too few or too many channels */
  MR_ERR_IO,         /* a file cannot be read or written */
  MR_ERR_SINGULAR    /* a filter on which the asked-for form of the arithmetic breaks down */
} MrStatus;

/* A short English sentence without a full stop; never NULL. Thread: any. */
MR_API const char* mr_strerror(MrStatus status);

/* The version, "MAJOR.MINOR.MICRO". Thread: any. */
MR_API const char* mr_version(void);

/* -------------------------------------------------------------- sections */

/* One section in the settled form, delta DF2 (design/section.h has the recursion):
   s = 1 + a1 + a2, P = 1 - a2, D = b0, e1 = (b0 + b1 + b2) - D s, e2 = D a2 - b2, for
   H(z) = (b0 + b1/z + b2/z^2) / (1 + a1/z + a2/z^2). Stable strictly if s > 0, P > 0 and 4 - s - 2 P > 0. */
typedef struct MrSection {
  double s, P, D, e1, e2;
} MrSection;

/* The same section as people and files write it, a0 = 1. */
typedef struct MrBiquad {
  double b0, b1, b2, a1, a2;
} MrBiquad;

/* Sections in series and one gain (linear, may be negative). */
typedef struct MrCascade {
  uint32_t n;
  double gain;
  MrSection section[MR_MAX_DESIGN_SECTIONS];
} MrCascade;

/* Coefficients -> section. a[0] may be any finite number but 0: everything is divided by it.
   MR_ERR_NOT_FINITE, MR_ERR_RANGE (a[0] = 0), MR_ERR_UNSTABLE. Thread: real-time. */
MR_API MrStatus mr_section_from_coefficients(const double b[3], const double a[3], MrSection* section);

/* Section -> coefficients, for printing and files. Thread: real-time. */
MR_API MrBiquad mr_section_to_biquad(const MrSection* section);

/* --------------------------------------------------------------- designs */

typedef enum MrFilterType {
  MR_NONE = 0, /* no section at all */
  /* second order, from Q, bandwidth or slope; RBJ's or matched */
  MR_PEAK,
  MR_LOWPASS,
  MR_HIGHPASS,
  MR_BANDPASS, /* peak of 0 dB */
  MR_NOTCH,
  MR_ALLPASS,
  MR_LOWSHELF,
  MR_HIGHSHELF,
  /* first order */
  MR_LOWPASS1,
  MR_HIGHPASS1,
  MR_LOWSHELF1,
  MR_HIGHSHELF1,
  MR_ALLPASS1,
  /* families: response, order, fc (fc and fc2 for band-pass and band-stop) */
  MR_BUTTERWORTH,
  MR_CHEBYSHEV1,
  MR_CHEBYSHEV2,
  MR_ELLIPTIC,
  MR_BESSEL,
  MR_LINKWITZ_RILEY, /* order even, low-pass and high-pass alone */
  /* others */
  MR_WEIGHTING,
  MR_LINKWITZ_TRANSFORM,
  MR_ANALOGUE,
  MR_COEFFICIENTS
} MrFilterType;

typedef enum MrMode {
  MR_MODE_RBJ = 0, /* RBJ's second-order formulas; bilinear families */
  MR_MODE_MATCHED  /* magnitude follows the analogue filter up to Nyquist, where that is known */
} MrMode;

typedef enum MrResponse {
  MR_RESPONSE_LP = 0,
  MR_RESPONSE_HP,
  MR_RESPONSE_BP,
  MR_RESPONSE_BS,
  MR_RESPONSE_AP /* Butterworth alone: the all-pass with the poles of that order, as crossovers need it */
} MrResponse;

/* What `width` of a design is. */
typedef enum MrWidthUnit {
  MR_WIDTH_Q = 0,
  MR_WIDTH_OCTAVES,      /* between -3 dB points (band-pass, notch) or half-gain points (peak), RBJ's definition */
  MR_WIDTH_SHELF_SLOPE,  /* RBJ's S */
  MR_WIDTH_DB_PER_OCTAVE /* S = width / 12 */
} MrWidthUnit;

typedef enum MrWeighting {
  MR_WEIGHTING_A = 0,
  MR_WEIGHTING_B,
  MR_WEIGHTING_C,
  MR_WEIGHTING_468,
  MR_WEIGHTING_K,
  MR_WEIGHTING_RIAA,
  MR_WEIGHTING_NAB,
  MR_WEIGHTING_DEEMPHASIS_50,
  MR_WEIGHTING_DEEMPHASIS_75
} MrWeighting;

typedef struct MrComplex {
  double re, im;
} MrComplex;

/* Roots of an analogue design, as written: 20.6 + 0j is a root at -2 pi 20.6 rad/s; a root with im != 0 stands
   for itself and its conjugate. Zeros written as 0 lie at s = 0. */
typedef struct MrRoots {
  uint32_t zeros, poles;
  MrComplex zero[MR_MAX_ROOTS], pole[MR_MAX_ROOTS]; /* Hz */
} MrRoots;

/* What a person asked for, in the numbers as written. Start from mr_design_default(). Which fields a type reads:
   MR_PEAK, MR_LOWSHELF, MR_HIGHSHELF: fc, gain_db, width; MR_LOWPASS .. MR_ALLPASS: fc, width; first order: fc and, for
   shelves, gain_db; families: response, order, fc, fc2, ripple_db (Chebyshev 1, elliptic), stop_db (Chebyshev 2, elliptic);
   the others their own. Fields that a type does not read change nothing. */
typedef struct MrDesign {
  MrFilterType type;
  MrMode mode;
  MrResponse response;
  MrWidthUnit width_unit;
  bool corner; /* shelves with a slope: fc is the corner, not the centre (bank text LS, HS) */
  MrWeighting weighting;
  uint32_t order;       /* 1 to 32 */
  double fc, fc2;       /* Hz */
  double gain_db;       /* shelves, peak; analogue: |H| at 1 kHz is roots_gain 10^(gain_db / 20) */
  double width;         /* in width_unit */
  double ripple_db;     /* passband ripple, > 0 */
  double stop_db;       /* stop-band attenuation, > 0 */
  double transform[4];  /* Linkwitz transform: Fs (Hz), Qs, Fp (Hz), Qp */
  const MrRoots* roots; /* MR_ANALOGUE; not owned */
  double roots_gain;    /* MR_ANALOGUE: |H| at 1 kHz, linear; negative inverts */
  double rate;          /* MR_COEFFICIENTS: the rate they hold at; 0: any */
  double b[3], a[3];    /* MR_COEFFICIENTS: as written, a[0] included; first order has b[2] = a[2] = 0 */
} MrDesign;

/* What a design did to its numbers: a set of bits. */
enum {
  MR_NOTE_FREQUENCY_CLAMPED = 1 << 0,
  MR_NOTE_WIDTH_CLAMPED = 1 << 1,
  MR_NOTE_GAIN_CLAMPED = 1 << 2,
  MR_NOTE_ORDER_CLAMPED = 1 << 3, /* an odd Linkwitz-Riley order is rounded up */
  MR_NOTE_RIPPLE_CLAMPED = 1 << 4,
  MR_NOTE_ABOVE_NYQUIST = 1 << 5,    /* the filter is off at this rate: no sections, gain 1 */
  MR_NOTE_NOT_MATCHED = 1 << 6,      /* matched mode was asked for; this type is bilinear all the same */
  MR_NOTE_MATCHED_FALLBACK = 1 << 7, /* the matched fit was refused and its Moebius design taken */
  MR_NOTE_RATE_CONVERTED = 1 << 8    /* coefficients of another rate were carried over */
};

/* All fields 0 but: order 2, fc 1000, fc2 2000, width 0.70710678.. (Q), ripple_db 0.1, stop_db 60, b[0] = a[0] = 1,
   roots_gain 1, transform all 1. */
MR_API MrDesign mr_design_default(MrFilterType type);

/* The one entry from a design to sections. Numbers outside their range are clamped (and noted) where a file or a port
   may say more: fc to 0.01 Hz .. 0.49 fs (matched second and first order: to 40 kHz), Q to 0.01 .. 1000, gain to +-60 dB;
   refused: NaN and infinities (MR_ERR_NOT_FINITE), an order of 0 or above 32 (MR_ERR_RANGE), responses a family does not
   have (MR_ERR_ARGUMENT), fc2 <= fc (MR_ERR_RANGE), ripple or stop <= 0 (MR_ERR_RANGE), families so steep that the Q of a
   pole passes 1e10 (MR_ERR_RANGE), unstable coefficients (MR_ERR_UNSTABLE), coefficients of another rate (MR_ERR_RATE;
   mr_design_convert carries them over). Weightings and analogue roots follow their curves up to Nyquist in either mode.
   fs: MR_MIN_RATE .. MR_MAX_RATE. The cascade is ordered and its gains spread, so that no prefix peaks far above the whole
   (design/pairing.h); every section has D = 0 or a power of two, so that zeros at z = 1 are exact.
   notes may be NULL. On an error *cascade is the identity (n = 0, gain 1).
   Thread: real-time (bounded; no allocation). */
MR_API MrStatus mr_design(const MrDesign* design, double fs, MrCascade* cascade, uint32_t* notes);

/* As mr_design, for coefficients of another rate: s-plane roots by the inverse bilinear transform at design->rate, then
   the bilinear transform at fs. *error_db is the largest deviation of |H| below 0.45 of the lower rate. Thread: control. */
MR_API MrStatus mr_design_convert(const MrDesign* design, double fs, MrCascade* cascade, uint32_t* notes, double* error_db);

/* True for the types whose fc, gain_db and width may glide: all of second and first order, and Butterworth,
   Linkwitz-Riley and Bessel low-passes and high-passes. Thread: any. */
MR_API bool mr_design_moves(const MrDesign* design);

/* Whether a design that moves is off at this rate, being above what it can hold; true too for numbers that cannot be. Thread: real-time. */
MR_API bool mr_design_is_off(const MrDesign* design, double fs);

/* The prototype of a design that moves: what does not depend on fc, gain and width, so that a move costs one transform. */
typedef struct MrPrototype {
  uint32_t sections;                    /* of the design, 0 to 16 */
  bool scaled;                          /* moving form with K = P/F (moving.md): peak, band-pass, notch, all-pass */
  MrComplex pole[MR_MAX_ORDER / 2 + 1]; /* families: upper half-plane and real poles of the normalised low-pass, one a section */
} MrPrototype;

/* MR_ERR_ARGUMENT where mr_design_moves() is false, MR_ERR_RANGE for an order of 0 or above 32. Thread: real-time. */
MR_API MrStatus mr_prototype(const MrDesign* design, MrPrototype* prototype);

/* Sections of a design that moves: in a fixed order, each with its own natural gain, cascade->gain = 1 (so that every
   coefficient is a smooth function of fc, gain_db and log Q). A design that is off above Nyquist gives
   prototype->sections identity sections and the note. Thread: real-time. */
MR_API MrStatus mr_design_moving(const MrDesign* design, const MrPrototype* prototype, double fs, MrCascade* cascade, uint32_t* notes);

/* -------------------------------------------------------------- response */

typedef struct MrPoint {
  double magnitude_db; /* -infinity where H = 0 */
  double phase;        /* radians, principal value */
  double group_delay;  /* seconds */
} MrPoint;

/* Response of a cascade at one frequency, 0 to fs/2. Exact near z = 1 and z = -1 (evaluated in s, P, D, e1, e2).
   Thread: real-time. */
MR_API MrPoint mr_cascade_response(const MrCascade* cascade, double fs, double f);
MR_API MrPoint mr_sections_response(const MrSection* sections, size_t n, double gain, double fs, double f);

/* Ring time: frames until the rest of the sum of |h| is below `rest` (for example 1e-6) of its total, found by running an
   impulse; `limit` at most. 0 for no sections. Thread: control (long). */
MR_API uint64_t mr_sections_ring_time(const MrSection* sections, size_t n, double rest, uint64_t limit);

/* ----------------------------------------------------------------- banks */

/* Gain of a route as written: linear factor, or dB. */
typedef struct MrTerm {
  uint32_t source; /* input channel, from 0 */
  bool is_db;
  bool inverted; /* "-1*": kept apart for dB terms */
  double gain;   /* linear factor if !is_db (its sign counts), else dB */
} MrTerm;

/* One output channel. All memory is owned by the bank. */
typedef struct MrChannel {
  uint32_t terms, filters;
  MrTerm* term;     /* input matrix row; a new bank has one term {k, 1.0} in row k; none: silence */
  MrDesign* filter; /* the cascade, in order; MR_ANALOGUE roots are owned by the bank */
  double preamp_db;
  double delay_ms, delay_samples; /* both add up; rounded to the nearest frame together */
  bool inverted, muted;
} MrChannel;

typedef struct MrBank {
  uint32_t channels;
  MrChannel* channel;
  bool routes, delays, crosses; /* what the text had: such a bank protects loudspeakers */
  bool convert_rate;            /* coefficients of another rate are carried over rather than refused (MrReadOptions) */
} MrBank;

typedef enum MrSeverity { MR_WARNING = 0, MR_ERROR } MrSeverity;

/* Where readers say what they found. text has no line end; line is 0 where there is none. */
typedef struct MrMessages {
  void (*say)(void* handle, MrSeverity severity, const char* file, unsigned line, const char* text);
  void* handle;
} MrMessages;

/* A bank of 1 to 1024 channels that changes nothing. NULL if there is no memory or the count is out of range.
   Thread: control, as all bank functions. */
MR_API MrBank* mr_bank_new(uint32_t channels);
MR_API void mr_bank_free(MrBank* bank);                      /* NULL is allowed */
MR_API bool mr_bank_equal(const MrBank* a, const MrBank* b); /* every number to the bit */
MR_API bool mr_bank_protects(const MrBank* bank);            /* routes, delays or crosses over */

/* Appends a copy of the design (roots included) to a channel's cascade. */
MR_API MrStatus mr_bank_add_filter(MrBank* bank, uint32_t channel, const MrDesign* design);
/* Replaces a channel's matrix row. */
MR_API MrStatus mr_bank_set_terms(MrBank* bank, uint32_t channel, const MrTerm* term, uint32_t terms);

typedef struct MrReadOptions {
  uint32_t channels; /* the bank's channels: those of the file, plugin or client */
  double fs;         /* the rate it will run at; 0: not known (rates are not checked) */
  bool convert_rate; /* carry coefficients of another rate over instead of refusing them */
} MrReadOptions;

/* Reads bank text (grammar: doc of the bank format; base: Equalizer APO's). `file` names it in messages. `bank` is what to
   append to or NULL for a new one: several texts are joined in order, as one text. On an error nothing is loaded: NULL is returned,
   *status says why, the message with file, line and what was expected has been said, and the bank appended to is unchanged.
   On success the returned bank is the given one, or a new one. messages may be NULL. */
MR_API MrBank* mr_bank_read_text(MrBank* bank, const char* text, size_t length, const char* file, const MrReadOptions* options,
                                 const MrMessages* messages, MrStatus* status);

/* Reads a table of sections as CSV (b0 b1 b2 a0 a1 a2 a row; commas, semicolons, tabs or spaces; an optional header line; optional
   leading columns as mr_bank_write_table prints them). The same conventions. */
MR_API MrBank* mr_bank_read_table(MrBank* bank, const char* text, size_t length, const char* file, const MrReadOptions* options,
                                  const MrMessages* messages, MrStatus* status);

/* Where writers put their text; returns false to stop (MR_ERR_IO). */
typedef bool (*MrWrite)(void* handle, const char* text, size_t length);

/* What a text is. */
typedef enum MrBankKind { MR_BANK_TEXT = 0, MR_BANK_TABLE, MR_BANK_JSON } MrBankKind;

/* From the ending of a file's name (NULL: none) and, where that says nothing, from the text's first words. Nothing here reads JSON. Thread: any. */
MR_API MrBankKind mr_bank_kind(const char* name, const char* text, size_t length);

/* Whether a bank text, which may be broken, has a line that routes, delays or crosses over, or says that it protects: where such a bank cannot be
   read, loudspeakers are safe with silence alone. A word at a line's start is enough, and bytes that are no text in UTF-8 (UTF-16, a NUL) count
   as such a line. Thread: any. */
MR_API bool mr_bank_text_protects(const char* text, size_t length);

/* Writes bank text that mr_bank_read_text reads back to an equal bank, 17 digits. */
MR_API MrStatus mr_bank_write_text(const MrBank* bank, MrWrite write, void* handle);

/* Writes the sections of all channels at rate fs as CSV. What the table cannot hold (routes, delays, polarity, mute) is said. */
MR_API MrStatus mr_bank_write_table(const MrBank* bank, double fs, MrWrite write, void* handle, const MrMessages* messages);

/* --------------------------------------------------------------- engines */

/* A bank compiled at a rate: sections, matrix, delays and their state. Prepared on a control thread, then given to an engine. */
typedef struct MrProgram MrProgram;

/* bank->channels is its channel count. Designs that are off or clamped are said as warnings, designs refused as errors
   (with channel and filter number; NULL is returned). Thread: control. */
MR_API MrProgram* mr_program_new(const MrBank* bank, double fs, const MrMessages* messages, MrStatus* status);
MR_API void mr_program_free(MrProgram* program); /* one that no engine has taken */
MR_API uint32_t mr_program_sections(const MrProgram* program, uint32_t channel);
MR_API const MrSection* mr_program_section(const MrProgram* program, uint32_t channel, uint32_t index);
MR_API double mr_program_gain(const MrProgram* program, uint32_t channel);    /* linear: cascades, preamp, polarity, mute */
MR_API uint32_t mr_program_delay(const MrProgram* program, uint32_t channel); /* frames */
/* Whether an output is made of anything but its own channel's input, at another gain than 1 or of none; delays are no routes. */
MR_API bool mr_program_routes(const MrProgram* program);
/* Ring time plus the longest delay, frames; `limit` at most. Thread: control (long). */
MR_API uint64_t mr_program_tail(const MrProgram* program, uint64_t limit);

/* Adds a variant: what may play instead of the program, the first one added as number 1 (mr_engine_choose()). The program owns it from then on,
   also on an error, but for a program as its own variant (MR_ERR_ARGUMENT, nothing is taken). MR_ERR_ARGUMENT: a null pointer, or a variant that has
   variants; MR_ERR_CHANNELS, MR_ERR_RATE: not the program's; MR_ERR_RANGE: more than MR_MAX_VARIANTS. All else about a program (sections,
   gains, tail, fast rule) leaves its variants out; fast engines and renderers play the program alone. Thread: control, before the program is given. */
MR_API MrStatus mr_program_add_variant(MrProgram* program, MrProgram* variant);

/* A band of a parametric engine: a design that moves, on a set of channels. */
typedef struct MrBand {
  bool on;
  MrDesign design;
  uint64_t set[MR_MAX_CHANNELS / 64]; /* bit k: channel k */
} MrBand;

/* What a parametric engine plays. */
typedef struct MrBands {
  const MrBand* band;
  uint32_t bands;
  bool mid_side; /* engines of 2 channels: bands act on M = (L + R) / 2, which is channel 0 of their sets, and S = (L - R) / 2, channel 1 */
} MrBands;

/* Arithmetic of an engine. Fast is float32, about half as costly, for programs whose filters bear it: mr_program_fast_rule(). */
typedef enum MrPrecision { MR_PRECISION_DOUBLE = 0, MR_PRECISION_FAST } MrPrecision;

/* What the schedule plan reckons with: nanoseconds of one core. */
typedef struct MrCosts {
  double pass_fixed, pass_section,
      pass_least;                     /* a vector's channels side by side, a frame: of a pass, of each of its sections, no less than */
  double step_fixed, step_vector;     /* sections in lanes, a step of a chain: fixed, of each vector */
  double chain_fixed, chain_vector;   /* a call of a chain: fixed, of each vector */
  double planar, single, interleaved; /* a sample in and out: planar in a tile, planar of few channels, interleaved */
  double cell;                        /* a tile's 64 frames, or what a block leaves of them: fixed */
  double few_run, few_sample;         /* a run of few channels over several cells: fixed, a sample in and out */
} MrCosts;

/* Whether a block is shared with other threads of this process, a crew that all engines have in common. No bit depends on it. */
typedef enum MrThreadPolicy {
  MR_THREADS_ONE = 0, /* the caller's alone */
  MR_THREADS_AUTO,    /* from a fifth of a block's period on, where it promises 1.3 times the speed and has been seen to pay: for plugins */
  MR_THREADS_EAGER,   /* wherever it promises 1.1 times and has been seen to pay: for programs that own the machine */
  MR_THREADS_ALWAYS   /* wherever a block can be cut: for measurements */
} MrThreadPolicy;

typedef struct MrThreadOptions {
  MrThreadPolicy policy;
  uint32_t threads; /* at most, the caller among them, 64 at most; 0: the processors that the process may use */
  bool awake;       /* workers never sleep for long: for machines whose processors are ours */
  uint32_t stages;  /* of sections, for measurements; 0: planned */
  uint32_t grain;   /* frames of a part, likewise */
} MrThreadOptions;

typedef struct MrEngineOptions {
  uint32_t channels;      /* 1 to 1024, in and out */
  MrPrecision precision;  /* MR_PRECISION_FAST: one program, played as it is; not with max_bands (MR_ERR_ARGUMENT) */
  double fs;              /* Hz */
  uint32_t largest_block; /* frames the host promises: nothing depends on it */
  uint32_t max_bands;     /* > 0: a parametric engine, of at most that many bands (256 at most) */
  uint32_t max_sections;  /* parametric: sections of all bands that are on, together (0: 8 a band) */
  uint32_t cpu_level;     /* mask of MrCpuLevel bits to choose from; 0: all that the machine has */
  MrThreadOptions threads;
  const MrCosts* costs;   /* for the schedule plan, which changes no bit; copied; NULL: mr_costs_estimate() */
} MrEngineOptions;

typedef struct MrEngine MrEngine;

/* An engine that passes its input until it is given a program or bands. Thread: control. */
MR_API MrEngine* mr_engine_new(const MrEngineOptions* options, MrStatus* status);
MR_API void mr_engine_free(MrEngine* engine); /* with the programs it holds */

/* Gives a program to the engine, which owns it from then on (also on an error). Before the first process() or after a reset it plays at
   once; later it fades in from the next cell, the last one given winning. The program's channels and rate must be the engine's (MR_ERR_CHANNELS,
   MR_ERR_RATE). Frees programs that have faded out. Thread: control, one at a time; process() may run meanwhile.
   A fast engine does not fade: it takes a program only before its first frame or after a reset (MR_ERR_ARGUMENT else; MR_ERR_MEMORY; MR_ERR_RANGE for a gain beyond float32),
   while process() does not run. */
MR_API MrStatus mr_engine_give(MrEngine* engine, MrProgram* program);

/* Which variant of the programs given plays from the next cell on: 0 the program itself, i the i-th added to it, the program itself where it has no
   such variant. Another one fades in, from a cold start; of several choices within a fade the last counts. Before the first process() or after a
   reset it plays at once. Parametric and fast engines have none: nothing happens. Thread: as mr_engine_set_bands. */
MR_API void mr_engine_choose(MrEngine* engine, uint32_t variant);

/* What a parametric engine is to play from now on: compared with what it plays at each cell's start; where only numbers
   of moving designs differ they glide, all else swaps. The bands are copied. MR_ERR_ARGUMENT: not parametric, too many bands or
   sections, a design that does not move or that mr_design() refuses, mid_side without 2 channels. With mid_side a NaN in one channel poisons both
   until the end of the cell. Numbers that cannot be (NaN) keep the band's last ones.
   Thread: real-time, the one that calls process(), or control before the first. */
MR_API MrStatus mr_engine_set_bands(MrEngine* engine, const MrBands* bands);

/* Output gain of all channels, on whatever plays; bypass, and an engine that was given nothing, pass their input without it. Clamped to
   -200 .. 60 dB; a number that cannot be (NaN) keeps the last one. From the next cell on it glides, in 21 ms and a few cells; before the first process()
   or after a reset it holds at once. 0 dB at first, which costs nothing. MR_ERR_ARGUMENT: a fast engine. Thread: as mr_engine_set_bands. */
MR_API MrStatus mr_engine_set_gain(MrEngine* engine, double gain_db);

/* Mute: fades to zeros, exact ones whatever comes in (NaN too), and back from a cold start under a fade. Bypass wins over it. A fast engine has
   none: nothing happens. Thread: as mr_engine_set_bands. */
MR_API void mr_engine_mute(MrEngine* engine, bool mute);

/* Bypass: fades to a bit-exact pass-through, and back from a cold start under a fade. A fast engine has none: nothing happens.
   Thread: as mr_engine_set_bands. */
MR_API void mr_engine_bypass(MrEngine* engine, bool bypass);

/* Filters n frames (any n, 0 too). Planar: channels pointers to n samples each; interleaved: n x channels samples. Inputs and
   outputs may be the same buffers in any permutation (planar) or the same buffer (interleaved); partial overlap is undefined. Input that
   is not output is only read. No alignment is needed. Sets FTZ and DAZ, restores the whole floating-point mode. A NaN poisons its own channel
   until the end of the cell. Thread: real-time. */
MR_API void mr_engine_process_f32(MrEngine* engine, const float* const* in, float* const* out, uint32_t n);
MR_API void mr_engine_process_f64(MrEngine* engine, const double* const* in, double* const* out, uint32_t n);
MR_API void mr_engine_process_interleaved_f32(MrEngine* engine, const float* in, float* out, uint32_t n);
MR_API void mr_engine_process_interleaved_f64(MrEngine* engine, const double* in, double* out, uint32_t n);

/* As process with silent input: what still rings, after the last block. Thread: real-time. */
MR_API void mr_engine_drain_f32(MrEngine* engine, float* const* out, uint32_t n);
MR_API void mr_engine_drain_f64(MrEngine* engine, double* const* out, uint32_t n);
MR_API void mr_engine_drain_interleaved_f32(MrEngine* engine, float* out, uint32_t n);
MR_API void mr_engine_drain_interleaved_f64(MrEngine* engine, double* out, uint32_t n);

/* As a fresh engine with the same program or bands, bit for bit. Thread: control or real-time, while process() does not run. */
MR_API void mr_engine_reset(MrEngine* engine);

/* The state of a program that plays, at the start of a cell, [channels][sections of its longest channel][2]: of each section (w, d) in the recursion

     d' = x - P d + (d - s w) ;  y = D x + (e1 w + e2 d) ;  w' = w + d'

   and 0 where a channel has fewer sections. What set_state() is given goes on as if it had played: what another engine of the same program had, of
   any precision, or what a batch on another processor left. An engine that has not yet played takes it too. MR_ERR_ARGUMENT, and nothing is done: within a cell
   or a fade, with bands, where something else than a program plays or another one has been given, or with delays, which have more to remember;
   MR_ERR_NOT_FINITE. Thread:
   real-time, the one that calls process(). */
MR_API MrStatus mr_engine_state(const MrEngine* engine, double* state);
MR_API MrStatus mr_engine_set_state(MrEngine* engine, const double* state);

/* Channels set to zero after trouble since the start, all channels together. Thread: any. */
MR_API uint64_t mr_engine_troubles(const MrEngine* engine);
/* The largest magnitude of n samples in any units, 0 of none, infinity where one is not a number: for meters beside the engine, at the speed of
   its kernels. x needs no alignment. Thread: any. */
MR_API float mr_engine_peak_f32(const MrEngine* engine, const float* x, uint32_t n);
MR_API bool mr_engine_is_fading(const MrEngine* engine); /* Thread: real-time */

/* What became of an engine's threads. Workers help only callers whose scheduling class and priority they could take on. There are none where the
   program itself limits oneTBB's threads, nor in a child of a process that had them. */
typedef struct MrThreadReport {
  uint32_t threads;                /* at most, the caller among them; 1: no threads */
  uint32_t workers;                /* of the crew, begun */
  uint64_t blocks, helped, redone; /* blocks that were shared, of 1024 frames at most; parts that workers did; parts that the caller did again, since a worker had begun and not finished them */
  uint32_t stalls;                 /* workers that were inside a block for more than a period after it was over */
  bool dropped;                    /* the engine is on one thread after that: for a second, next time for two, and so on to 64, until there has been a calm; or mr_engine_reset() */
} MrThreadReport;

/* Thread: any. */
MR_API MrThreadReport mr_engine_thread_report(const MrEngine* engine);

/* True where the output of the next frames is their input, bit for bit, until something is given or set: bypassed, or nothing that is audible, at a
   gain of 0 dB, with no glide and no fade. What has been given or set and not yet begun, at the start of a cell, counts as audible unless it is
   known not to be. Thread: real-time. */
MR_API bool mr_engine_passes(const MrEngine* engine);

/* ------------------------------------------------------------- precision */

/* What float32 arithmetic makes of a section of an engine: an estimate of its largest error over the largest output that the section has to
   noise, from where the poles lie; measured errors of sections of every kind (1e-7 to 1) pass it by a tenth at most. With s and P of the section,
   n = 4 - s - 2 P, which is to z = -1 what s is to z = 1, and the poles' Q = sqrt(s n) / 2 P:

     2^-24 (1 + 4 (1 + Q) / n + sqrt(2 / P + P / s))

   Delta DF2 holds poles near z = 1 nearly as well as float64; what it cannot hold are poles near z = -1 (s is 4 less little, and its last digit
   moves them) and sharp resonances below that; the root is what rounding adds up to while the section rings. The constants are
   measured: tests/dsp/engine/test_fast_rule.py. Thread: real-time. */
MR_API double mr_section_fast_error(const MrSection* section);

/* Whether a program's filters bear a fast engine. */
typedef struct MrFastRule {
  bool holds;       /* in every channel the errors of its sections add up to less than MR_FAST_ERROR */
  uint32_t channel; /* the first channel that does not hold; the one with the largest error where all do */
  uint32_t section; /* of it, from 0: the one with the largest error */
  double error;     /* of the channel, over the peak of what it filters; 0 without sections */
} MrFastRule;

#define MR_FAST_ERROR 1e-4

/* An error is over the largest signal among the sections: where filters take nearly everything away, it is larger over what is left.
   Thread: control. */
MR_API MrFastRule mr_program_fast_rule(const MrProgram* program);

/* -------------------------------------------------------------- renderers */

/* A program over a whole stream that need not keep to a host's blocks: what `millrace render` uses. It may run few channels in blocks of many
   samples, or segments of the stream side by side, so its samples differ from an engine's in the last digits: by rounding alone, within
   1e-13 of full scale for common filters, more for resonances of a Q of hundreds near Nyquist. They depend on the program, the rate and
   the channels alone. */
typedef struct MrRenderer MrRenderer;

typedef struct MrRendererOptions {
  MrEngineOptions engine; /* without bands: max_bands counts as 0 */
  bool wide;              /* float64 streams, else float32 */
  bool realtime_kernels;  /* the bits of an engine */

  /* Threads, which change no bit: the caller's, and others of an arena of its own (oneTBB), all idle between calls. */
  uint32_t
      threads; /* 0: as many as processors that the process may use; 1: the caller's alone, as where the library was built without oneTBB */
  uint32_t grain;  /* frames that a node takes at a time, rounded up; 0: planned, and shorter in short calls */
  uint32_t stages; /* that the sections of each strand are cut into, 1 to 64; 0: planned. For experiments. */
} MrRendererOptions;

/* Takes the program, also on an error (NULL, with the status of mr_engine_new() and mr_engine_give()). Thread: control, as all of these
   functions. Memory: up to 20 MB beside the engine's for each thread. */
MR_API MrRenderer* mr_renderer_new(const MrRendererOptions* options, MrProgram* program, MrStatus* status);
MR_API void mr_renderer_free(MrRenderer* renderer);

/* What the frames of every call but the last must be a multiple of; 1 where any count will do. */
MR_API uint32_t mr_renderer_chunk(const MrRenderer* renderer);

/* Frames of a call in which all threads have enough to do: a multiple of the chunk. Shorter ones keep fewer busy, or one. */
MR_API uint32_t mr_renderer_call(const MrRenderer* renderer);

/* Filters the next n frames of the stream, interleaved; in and out may be the same buffer. Silence at the end brings out what still rings.
   MR_ERR_ARGUMENT after a call whose frames were no multiple of the chunk; nothing is written then. MR_ERR_MEMORY, with threads alone: the stream
   is lost. */
MR_API MrStatus mr_renderer_process(MrRenderer* renderer, const void* in, void* out, uint32_t n);

/* As mr_engine_state() and mr_engine_set_state(), for renderers with realtime_kernels; MR_ERR_ARGUMENT for others. */
MR_API MrStatus mr_renderer_state(const MrRenderer* renderer, double* state);
MR_API MrStatus mr_renderer_set_state(MrRenderer* renderer, const double* state);

/* One node of a renderer's flow graph at work on one group of frames. */
typedef enum MrTraceNode { MR_TRACE_LOAD, MR_TRACE_RUN, MR_TRACE_STORE } MrTraceNode;
typedef struct MrTraceEvent {
  MrTraceNode node;
  uint32_t strand, stage; /* of MR_TRACE_RUN */
  uint32_t group;         /* of its call, or of a part of it */
  uint32_t thread;        /* from 0 */
  uint64_t begin, end;    /* ns, of one clock */
} MrTraceEvent;

/* Where events go, in no order, until there is no more room: `count` goes on counting. To be read between calls. */
typedef struct MrTrace {
  MrTraceEvent* event;
  uint32_t room, count;
} MrTrace;

/* Events of the calls to come go there; NULL: nowhere. Not owned. Without threads there are none. */
MR_API void mr_renderer_trace(MrRenderer* renderer, MrTrace* trace);

/* Nanoseconds that a node costs beside its work, with so many threads (0: as many as processors), by running one hundred thousand that do nothing;
   0 without threads. */
MR_API double mr_renderer_node_ns(uint32_t threads);

MR_API uint64_t mr_renderer_troubles(const MrRenderer* renderer); /* as mr_engine_troubles() */

/* ----------------------------------------------------------------- plans */

/* CPU levels: a set of bits in masks, one bit as a level. The reference kernels are always there. */
typedef enum MrCpuLevel {
  MR_CPU_REFERENCE = 1 << 0,       /* C with fma() */
  MR_CPU_REFERENCE_NOFMA = 1 << 1, /* C without, SSE2's class */
  MR_CPU_SSE2 = 1 << 2,
  MR_CPU_AVX2 = 1 << 3, /* with FMA */
  MR_CPU_AVX512 = 1 << 4,
  MR_CPU_NEON = 1 << 5
} MrCpuLevel;

/* Levels this machine can run, of those that the environment's MILLRACE_CPU names ("sse2,avx2", as mr_cpu_level_name) if it is set.
   Words that are no level name nothing; where nothing is left that runs here, MR_CPU_REFERENCE. Thread: control. */
MR_API uint32_t mr_cpu_levels(void);
MR_API const char* mr_cpu_level_name(MrCpuLevel level); /* "reference", "reference-nofma", "sse2", "avx2", "avx512", "neon" */

/* Numeric plan: what decides the bits. Schedule plan: what never changes one. */
typedef struct MrPlan {
  /* numeric */
  const char* form;             /* "delta DF2" */
  const char* family;           /* "channels in lanes", and of a renderer "multi-block, PH in states" or "time segments in lanes" */
  const char* arithmetic;       /* "float64" or "float32", ", fused" or ", unfused" */
  uint32_t segments;            /* of the stream side by side: 1 in an engine */
  uint32_t block_lanes, blocks; /* multi-block: L and N; else 0 */
  uint32_t segment_frames, early_frames; /* of each segment, and before it (0 for one segment) */
  /* schedule */
  MrCpuLevel level;
  uint32_t lanes; /* channels of a lane tile */
  uint32_t tiles;
  uint32_t sections_per_pass;
  uint32_t sections;   /* of the longest channel */
  uint32_t chains;     /* channels whose sections run in lanes, in blocks that are long enough; 0: none */
  uint32_t chain_from; /* frames of such a block, planar */
  uint32_t threads;    /* at most */
  uint32_t strands, stages; /* of a renderer with threads: what needs nothing of each other, and the sections of each, cut; else 1 */
  uint32_t grain;           /* frames that a node of those takes at a time, at most; else 0 */
} MrPlan;

/* Costs as estimated for a CPU level. Thread: any. */
MR_API MrCosts mr_costs_estimate(MrCpuLevel level);
/* Costs as measured, in about half a second, with the kernels that an engine would choose for the mask. Thread: control. */
MR_API MrStatus mr_costs_measure(uint32_t cpu_level, MrCosts* costs);

/* Nanoseconds that a block of so many frames takes by the costs, at rest; 0 for a fast engine, whose costs are not known. Thread: control, while process() does not run. */
MR_API double mr_engine_predict(const MrEngine* engine, uint32_t block, bool interleaved);

/* What the engine runs. Thread: control, while process() does not run. */
MR_API MrPlan mr_engine_plan(const MrEngine* engine);
MR_API MrPlan mr_renderer_plan(const MrRenderer* renderer);

#ifdef __cplusplus
}
#endif

#endif
