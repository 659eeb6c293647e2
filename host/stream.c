/* Bytes in and out for libsndfile: files, and pipes that it takes for files.
   SPDX-License-Identifier: ISC */
#include "stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  HEAD_AT_MOST = 8 << 20, /* of a pipe: header chunks beyond this are refused */
  LOOK_AHEAD = 256 << 10  /* of a pipe: a jump further than this is one to the file's end */
};
static const uint64_t endless = (uint64_t)1 << 60;

/* ------------------------------------------------------------------ in */

void mr_stream_in_start(MrStreamIn* stream, int fd) {
  memset(stream, 0, sizeof *stream);
  stream->fd = fd;
  stream->opening = true;
  struct stat status;
  stream->seekable = fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) && lseek(fd, 0, SEEK_CUR) == 0;
  const off_t end = stream->seekable ? lseek(fd, 0, SEEK_END) : -1;
  stream->size = end >= 0 ? (uint64_t)end : endless;
  stream->whole.stream = stream;
  stream->samples.stream = stream;
}

void mr_stream_in_opened(MrStreamIn* stream) { stream->opening = false; }

void mr_stream_in_samples_at(MrStreamIn* stream, uint64_t base) {
  stream->samples.base = base;
  stream->at = base;
}

void mr_stream_in_free(MrStreamIn* stream) {
  free(stream->head);
  stream->head = NULL;
}

static size_t read_some(MrStreamIn* stream, void* to, size_t bytes) {
  for (;;) {
    const ssize_t n = stream->seekable ? pread(stream->fd, to, bytes, (off_t)stream->at) : read(stream->fd, to, bytes);
    if (n >= 0) return (size_t)n;
    if (errno == EINTR) continue;
    if (!stream->error) stream->error = errno;
    return 0;
  }
}

/* Reads a pipe into the head until it holds `wanted` bytes. */
static void grow_head(MrStreamIn* stream, uint64_t wanted) {
  if (wanted > HEAD_AT_MOST) wanted = HEAD_AT_MOST;
  while (stream->head_size < wanted) {
    if (stream->head_capacity < wanted) {
      size_t capacity = stream->head_capacity ? stream->head_capacity : 64 << 10;
      while (capacity < wanted) capacity *= 2;
      uint8_t* const larger = realloc(stream->head, capacity);
      if (!larger) {
        stream->error = ENOMEM;
        return;
      }
      stream->head = larger;
      stream->head_capacity = capacity;
    }
    const size_t n = read_some(stream, stream->head + stream->head_size, (size_t)wanted - stream->head_size);
    if (!n) return;
    stream->head_size += n;
    stream->taken += n;
  }
}

static size_t read_pipe(MrStreamIn* stream, uint8_t* to, size_t bytes) {
  if (stream->opening && stream->at + bytes > stream->head_size && stream->at <= stream->head_size + (uint64_t)LOOK_AHEAD)
    grow_head(stream, stream->at + bytes);
  size_t done = 0;
  if (stream->at < stream->head_size) {
    const size_t there = stream->head_size - (size_t)stream->at;
    done = bytes < there ? bytes : there;
    memcpy(to, stream->head + stream->at, done);
    stream->at += done;
  }
  if (stream->opening) return done; /* what lies further is at the end, for all that the parser may know */
  while (done < bytes && stream->at >= stream->taken) {
    uint8_t skipped[4096];
    const uint64_t gap = stream->at - stream->taken;
    uint8_t* const place = gap ? skipped : to + done;
    const size_t wanted = gap ? (gap < sizeof skipped ? (size_t)gap : sizeof skipped) : bytes - done;
    const size_t n = read_some(stream, place, wanted);
    if (!n) break;
    stream->taken += n;
    if (!gap) {
      stream->at += n;
      done += n;
    }
  }
  return done;
}

static size_t read_file(MrStreamIn* stream, uint8_t* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const size_t n = read_some(stream, to + done, bytes - done);
    if (!n) break;
    done += n;
    stream->at += n;
  }
  return done;
}

static size_t read_any(MrStreamIn* stream, void* to, size_t bytes) {
  return stream->seekable ? read_file(stream, to, bytes) : read_pipe(stream, to, bytes);
}

static sf_count_t in_read(void* to, sf_count_t bytes, void* handle) {
  const MrStreamView* const view = handle;
  return bytes > 0 ? (sf_count_t)read_any(view->stream, to, (size_t)bytes) : 0;
}

size_t mr_stream_in_peek(void* handle, uint64_t offset, void* to, size_t bytes) {
  MrStreamIn* const stream = handle;
  const uint64_t at = stream->at;
  stream->at = offset;
  const size_t n = read_any(stream, to, bytes);
  stream->at = at;
  return n;
}

static sf_count_t seek_to(uint64_t* at, uint64_t size, sf_count_t offset, int whence) {
  const sf_count_t base = whence == SEEK_CUR ? (sf_count_t)*at : whence == SEEK_END ? (sf_count_t)size : 0;
  if (offset < -base) return -1;
  *at = (uint64_t)(base + offset);
  return (sf_count_t)*at;
}

static sf_count_t in_seek(sf_count_t offset, int whence, void* handle) {
  const MrStreamView* const view = handle;
  uint64_t at = view->stream->at - view->base;
  const sf_count_t result = seek_to(&at, view->stream->size - view->base, offset, whence);
  if (result >= 0) view->stream->at = at + view->base;
  return result;
}

static sf_count_t in_tell(void* handle) {
  const MrStreamView* const view = handle;
  return (sf_count_t)(view->stream->at - view->base);
}

static sf_count_t in_size(void* handle) {
  const MrStreamView* const view = handle;
  return (sf_count_t)(view->stream->size - view->base);
}

static sf_count_t in_write(const void* from, sf_count_t bytes, void* handle) {
  (void)from;
  (void)bytes;
  (void)handle;
  return 0;
}

SF_VIRTUAL_IO mr_stream_in_io = {in_size, in_seek, in_read, in_write, in_tell};

/* ----------------------------------------------------------------- out */

bool mr_stream_write_all(int fd, const void* bytes, size_t size) {
  const uint8_t* from = bytes;
  while (size) {
    const ssize_t n = write(fd, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = EIO;
      return false;
    }
    from += n;
    size -= (size_t)n;
  }
  return true;
}

void mr_stream_out_start(MrStreamOut* stream, int fd, bool seekable) {
  memset(stream, 0, sizeof *stream);
  stream->fd = fd;
  stream->seekable = seekable;
}

void mr_stream_out_free(MrStreamOut* stream) {
  free(stream->held);
  stream->held = NULL;
}

bool mr_stream_out_release(MrStreamOut* stream) {
  if (stream->seekable || stream->released) return !stream->error;
  stream->released = true;
  if (stream->held_size && !stream->error && !mr_stream_write_all(stream->fd, stream->held, stream->held_size)) stream->error = errno;
  stream->sent = stream->held_size;
  free(stream->held);
  stream->held = NULL;
  return !stream->error;
}

static bool hold(MrStreamOut* stream, const void* from, size_t bytes) {
  const uint64_t end = stream->at + bytes;
  if (end > stream->held_capacity) {
    size_t capacity = stream->held_capacity ? stream->held_capacity : 64 << 10;
    while (capacity < end) capacity *= 2;
    uint8_t* const larger = realloc(stream->held, capacity);
    if (!larger) {
      stream->error = ENOMEM;
      return false;
    }
    stream->held = larger;
    stream->held_capacity = capacity;
  }
  if (stream->at > stream->held_size) memset(stream->held + stream->held_size, 0, (size_t)(stream->at - stream->held_size));
  memcpy(stream->held + stream->at, from, bytes);
  if (end > stream->held_size) stream->held_size = (size_t)end;
  return true;
}

static bool send_on(MrStreamOut* stream, const uint8_t* from, size_t bytes) {
  if (stream->at > stream->sent) { /* a gap cannot be left in a pipe */
    stream->error = ESPIPE;
    return false;
  }
  const uint64_t gone = stream->sent - stream->at; /* a header written again: too late */
  if (gone >= bytes) return true;
  if (!mr_stream_write_all(stream->fd, from + gone, bytes - (size_t)gone)) {
    stream->error = errno;
    return false;
  }
  stream->sent += bytes - gone;
  return true;
}

static bool put_at(MrStreamOut* stream, const uint8_t* from, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = pwrite(stream->fd, from + done, bytes - done, (off_t)(stream->at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      stream->error = n < 0 ? errno : EIO;
      return false;
    }
    done += (size_t)n;
  }
  return true;
}

static sf_count_t out_write(const void* from, sf_count_t bytes, void* handle) {
  MrStreamOut* const stream = handle;
  if (stream->error || bytes <= 0) return 0;
  const size_t n = (size_t)bytes;
  const bool ok = stream->seekable ? put_at(stream, from, n) : stream->released ? send_on(stream, from, n) : hold(stream, from, n);
  if (!ok) return 0;
  stream->at += n;
  if (stream->at > stream->size) stream->size = stream->at;
  return bytes;
}

static sf_count_t out_read(void* to, sf_count_t bytes, void* handle) {
  MrStreamOut* const stream = handle;
  if (!stream->seekable || bytes <= 0) return 0;
  const ssize_t n = pread(stream->fd, to, (size_t)bytes, (off_t)stream->at);
  if (n > 0) stream->at += (uint64_t)n;
  return n > 0 ? n : 0;
}

static sf_count_t out_seek(sf_count_t offset, int whence, void* handle) {
  MrStreamOut* const stream = handle;
  return seek_to(&stream->at, stream->size, offset, whence);
}

static sf_count_t out_tell(void* handle) { return (sf_count_t)((MrStreamOut*)handle)->at; }
static sf_count_t out_size(void* handle) { return (sf_count_t)((MrStreamOut*)handle)->size; }

SF_VIRTUAL_IO mr_stream_out_io = {out_size, out_seek, out_read, out_write, out_tell};
