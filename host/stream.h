/* Bytes in and out for libsndfile: files, and pipes that it takes for files.
   SPDX-License-Identifier: ISC

   libsndfile's own reading of pipes loses its place in some formats and it writes a second header at the end of one; and it
   forgets errors of read and write. So every byte goes through here. */
#ifndef MR_HOST_STREAM_H
#define MR_HOST_STREAM_H

#include <sndfile.h>
#include <stdbool.h>
#include <stdint.h>

/* The bytes of a stream from `base` on, as a file of their own. */
typedef struct MrStreamView {
  struct MrStreamIn* stream;
  uint64_t base;
} MrStreamView;

/* What comes in. From a pipe the first bytes are kept, so that headers can be read twice. */
typedef struct MrStreamIn {
  int fd;
  bool seekable;
  bool opening;   /* true until mr_stream_in_opened() */
  uint64_t size;  /* of the file; a huge number for a pipe */
  uint64_t at;    /* where libsndfile is */
  uint64_t taken; /* bytes read from the pipe */
  uint8_t* head;  /* the pipe's first bytes */
  size_t head_size, head_capacity;
  int error;                   /* errno of the first failed read; 0 */
  MrStreamView whole, samples; /* for libsndfile: all of it; its samples alone */
} MrStreamIn;

/* Borrows the descriptor. */
void mr_stream_in_start(MrStreamIn* stream, int fd);
/* The header has been read: a pipe is read forwards from now on. */
void mr_stream_in_opened(MrStreamIn* stream);
void mr_stream_in_free(MrStreamIn* stream);
/* Views begin at a byte offset, and what is read next is what stands there. */
void mr_stream_in_samples_at(MrStreamIn* stream, uint64_t base);
/* For mr_container_scan(); handle is the stream. While opening. */
size_t mr_stream_in_peek(void* handle, uint64_t offset, void* to, size_t bytes);

/* What goes out. To a pipe the first bytes are held back until mr_stream_out_release(), so that their sizes can be set. */
typedef struct MrStreamOut {
  int fd;
  bool seekable;
  uint64_t at, size;
  uint64_t sent; /* pipe: bytes that are gone */
  bool released; /* pipe: nothing is held any more */
  uint8_t* held; /* pipe: bytes held back */
  size_t held_size, held_capacity;
  int error; /* errno of the first failed write; 0 */
} MrStreamOut;

/* Borrows the descriptor. */
void mr_stream_out_start(MrStreamOut* stream, int fd, bool seekable);
/* Sends what is held. False on an error. */
bool mr_stream_out_release(MrStreamOut* stream);
void mr_stream_out_free(MrStreamOut* stream);

/* Writes all of it; false with errno set. */
bool mr_stream_write_all(int fd, const void* bytes, size_t size);

/* libsndfile's access; the user data is an MrStreamView and an MrStreamOut. */
extern SF_VIRTUAL_IO mr_stream_in_io, mr_stream_out_io;

#endif
