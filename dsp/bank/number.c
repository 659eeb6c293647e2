/* Numbers of texts, read and printed to the bit, whatever the locale.
   SPDX-License-Identifier: ISC

   strtod obeys the locale, so the reader is its own: digits are collected as text; up to 15 of them with a small power of ten
   are one exact multiplication or division; all else is a division of two big integers, of which 64 bits and "is there a rest" decide the
   rounding. The result is put together as bits, so that no floating-point mode (flush to zero) can touch it. */
#include "number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A tie between two doubles has at most 767 significant digits; what follows them can only say "a little more". */
#define DIGITS 800
/* 10^(DIGITS + 345) has 3804 bits, shifted by less than 64. */
#define WORDS 124

typedef struct Decimal {
  uint32_t digits;  /* kept, no leading zeros */
  bool rest;        /* a digit other than 0 was left off */
  int64_t exponent; /* the value is 0.d1d2d3.. x 10^exponent */
  bool negative;
  unsigned char digit[DIGITS];
} Decimal;

typedef struct Big {
  uint32_t n; /* words in use, the last not 0 */
  uint32_t word[WORDS];
} Big;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void decimal_add(Decimal* decimal, char c, bool fraction) {
  if (decimal->digits == 0 && c == '0') {
    decimal->exponent -= fraction;
    return;
  }
  if (decimal->digits < DIGITS)
    decimal->digit[decimal->digits++] = (unsigned char)(c - '0');
  else
    decimal->rest |= c != '0';
  decimal->exponent += !fraction;
}

/* The bytes of the exponent at text[i], 0 where there is none. */
static size_t read_exponent(const char* text, size_t length, size_t i, int64_t* exponent) {
  const size_t start = i;
  if (i >= length || (text[i] != 'e' && text[i] != 'E')) return 0;
  i++;
  const bool negative = i < length && text[i] == '-';
  if (i < length && (text[i] == '-' || text[i] == '+')) i++;
  if (i >= length || !is_digit(text[i])) return 0;
  int64_t e = 0;
  for (; i < length && is_digit(text[i]); i++)
    if (e < INT32_MAX) e = 10 * e + (text[i] - '0'); /* beyond, it decides nothing that a text of this length could */
  *exponent += negative ? -e : e;
  return i - start;
}

static size_t read_decimal(const char* text, size_t length, bool comma, Decimal* decimal) {
  size_t i = 0;
  bool any = false;
  *decimal = (Decimal){.digits = 0};
  if (i < length && (text[i] == '+' || text[i] == '-')) decimal->negative = text[i++] == '-';
  for (; i < length && is_digit(text[i]); i++, any = true) decimal_add(decimal, text[i], false);
  const bool point = i < length && text[i] == '.' && (any || (i + 1 < length && is_digit(text[i + 1])));
  const bool mark = comma && i + 1 < length && text[i] == ',' && is_digit(text[i + 1]);
  if (point || mark)
    for (i++; i < length && is_digit(text[i]); i++, any = true) decimal_add(decimal, text[i], true);
  if (!any) return 0;
  return i + read_exponent(text, length, i, &decimal->exponent);
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void big_multiply_add(Big* big, uint32_t factor, uint32_t carry) {
  uint64_t sum = carry;
  for (uint32_t i = 0; i < big->n; i++) {
    sum += (uint64_t)big->word[i] * factor;
    big->word[i] = (uint32_t)sum;
    sum >>= 32;
  }
  if (sum) big->word[big->n++] = (uint32_t)sum;
}

static void big_multiply_power_of_ten(Big* big, int64_t power) {
  for (; power >= 9; power -= 9) big_multiply_add(big, 1000000000u, 0);
  for (; power > 0; power--) big_multiply_add(big, 10, 0);
}

static void big_shift_left(Big* big, uint32_t bits) {
  const uint32_t words = bits / 32;
  if (words > 0 && big->n > 0) {
    memmove(big->word + words, big->word, big->n * sizeof big->word[0]);
    memset(big->word, 0, words * sizeof big->word[0]);
    big->n += words;
  }
  if (bits % 32) big_multiply_add(big, (uint32_t)1 << (bits % 32), 0);
}

static int64_t big_bits(const Big* big) {
  int64_t bits = 32 * (int64_t)(big->n - 1);
  for (uint32_t top = big->word[big->n - 1]; top; top >>= 1) bits++;
  return bits;
}

static bool big_at_least(const Big* a, const Big* b) {
  if (a->n != b->n) return a->n > b->n;
  for (uint32_t i = a->n; i-- > 0;)
    if (a->word[i] != b->word[i]) return a->word[i] > b->word[i];
  return true;
}

static void big_subtract(Big* a, const Big* b) {
  int64_t borrow = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    borrow += (int64_t)a->word[i] - (i < b->n ? b->word[i] : 0);
    a->word[i] = (uint32_t)borrow;
    borrow = borrow < 0 ? -1 : 0;
  }
  while (a->n > 0 && a->word[a->n - 1] == 0) a->n--;
}

/* q x 2^exponent, and a little more if `rest`, as the nearest double's bits; q has its top bit set. */
static uint64_t round_to_bits(uint64_t q, bool rest, int64_t exponent) {
  int64_t biased = exponent + 63 + 1023; /* of the value's leading bit */
  if (biased >= 2047) return (uint64_t)2047 << 52;
  unsigned drop = 11; /* 64 bits to 53 */
  if (biased <= 0) {  /* subnormal: fewer */
    if (biased < -53) return 0;
    drop += (unsigned)(1 - biased);
    biased = 1; /* and the mantissa lacks its leading bit, which gives exponent 0 below */
  }
  const uint64_t mantissa = drop < 64 ? q >> drop : 0;
  const uint64_t left = drop < 64 ? q << (64 - drop) : drop == 64 ? q : q >> 1; /* what is dropped, as a fraction of 2^64 */
  const bool more = rest || (drop > 64 && (q & 1));
  const uint64_t half = (uint64_t)1 << 63;
  const bool up = left > half || (left == half && (more || (mantissa & 1)));
  /* The leading bit adds 1 to the exponent, as a carry out of the mantissa does. */
  return ((uint64_t)(biased - 1) << 52) + mantissa + up;
}

static uint64_t exact_bits(const Decimal* decimal) {
  Big num = {.n = 0}, den = {.n = 1, .word = {1}};
  for (uint32_t i = 0; i < decimal->digits; i++) big_multiply_add(&num, 10, decimal->digit[i]);
  const int64_t power = decimal->exponent - decimal->digits;
  big_multiply_power_of_ten(power >= 0 ? &num : &den, power >= 0 ? power : -power);
  /* num / den x 2^shift lies in (1/2, 2): one step more may be needed. */
  int64_t shift = big_bits(&den) - big_bits(&num);
  big_shift_left(shift > 0 ? &num : &den, (uint32_t)(shift > 0 ? shift : -shift));
  if (!big_at_least(&num, &den)) {
    big_shift_left(&num, 1);
    shift++;
  }
  uint64_t q = 0;
  for (int i = 0; i < 64; i++) {
    const bool bit = big_at_least(&num, &den);
    if (bit) big_subtract(&num, &den);
    q = q << 1 | bit;
    big_shift_left(&num, 1);
  }
  return round_to_bits(q, num.n > 0 || decimal->rest, -63 - shift);
}

static bool small_value(const Decimal* decimal, double* value) {
  static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int64_t power = decimal->exponent - decimal->digits;
  if (decimal->digits > 15 || power > 22 || power < -22) return false;
  uint64_t whole = 0;
  for (uint32_t i = 0; i < decimal->digits; i++) whole = 10 * whole + decimal->digit[i];
  *value = power >= 0 ? (double)whole * power_of_ten[power] : (double)whole / power_of_ten[-power];
  return true;
}

size_t mr_number_read(const char* text, size_t length, bool comma, double* value) {
  Decimal decimal;
  const size_t read = read_decimal(text, length, comma, &decimal);
  if (read == 0) return 0;
  double magnitude;
  if (decimal.digits == 0 || decimal.exponent < -330)
    magnitude = 0.0;
  else if (decimal.exponent > 310)
    magnitude = from_bits((uint64_t)2047 << 52);
  else if (!small_value(&decimal, &magnitude))
    magnitude = from_bits(exact_bits(&decimal));
  *value = decimal.negative ? -magnitude : magnitude;
  return read;
}

/* Sign, the digits d (no trailing zeros), with a mark or an exponent where they belong. */
static size_t put_digits(char* text, bool negative, const char* d, int n, int exponent) {
  char* p = text;
  if (negative) *p++ = '-';
  if (exponent < -5 || exponent >= 17) {
    *p++ = d[0];
    if (n > 1) *p++ = '.';
    for (int i = 1; i < n; i++) *p++ = d[i];
    p += snprintf(p, 8, "e%d", exponent);
    return (size_t)(p - text);
  }
  if (exponent < 0) {
    *p++ = '0';
    *p++ = '.';
    for (int i = exponent; i < -1; i++) *p++ = '0';
  }
  for (int i = 0; i < n || i <= exponent; i++) {
    if (i > 0 && i == exponent + 1) *p++ = '.';
    *p++ = i < n ? d[i] : '0';
  }
  *p = 0;
  return (size_t)(p - text);
}

size_t mr_number_print(double value, char text[MR_NUMBER_SIZE]) {
  size_t length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    char raw[64], d[24] = "0";
    int n = 0;
    snprintf(raw, sizeof raw, "%.*e", digits - 1, value);
    const char* e = strchr(raw, 'e');
    if (!e) break;                        /* not finite: a caller's mistake; an empty text */
    for (const char* p = raw; p < e; p++) /* whatever mark the locale put between them */
      if (is_digit(*p) && n < 20) d[n++] = *p;
    int exponent = 0;
    for (const char* p = e + 2; *p; p++) exponent = 10 * exponent + (*p - '0');
    if (e[1] == '-') exponent = -exponent;
    while (n > 1 && d[n - 1] == '0') n--;
    length = put_digits(text, signbit(value) != 0, d, n, exponent);
    double back;
    if (mr_number_read(text, length, false, &back) == length && memcmp(&back, &value, sizeof back) == 0) return length;
  }
  text[length] = 0;
  return length;
}
