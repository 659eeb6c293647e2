/* The module that talks to cards, opened when it is first asked for.
   SPDX-License-Identifier: ISC */
#define _GNU_SOURCE 1 /* dladdr */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE "millrace-cuda.so"

/* The process has one module, whoever asks. */
static struct {
  pthread_mutex_t lock;
  const MrGpuApi* api;
  pid_t owner;
} library = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

/* Where it may lie, as seen from the folder of the binary that this is part of: a program in bin/ or in a build's folder, a plugin in lib/lv2/BUNDLE. */
static const char* const places[] = {"gpu/" MODULE, "../lib/millrace/" MODULE, "../../millrace/" MODULE, "../../gpu/" MODULE};

static bool is_there(const char* path) { return access(path, R_OK) == 0; }

/* The folder of this binary; false where it is not known. */
static bool own_folder(char* folder, size_t size) {
  Dl_info info;
  char* real = NULL;
  if (dladdr((const void*)&places, &info) && info.dli_fname) real = realpath(info.dli_fname, NULL);
  if (!real) return false;
  char* const slash = strrchr(real, '/');
  const bool fits = slash && (size_t)(slash - real) < size;
  if (fits) {
    *slash = '\0';
    strcpy(folder, real);
  }
  free(real);
  return fits;
}

static bool find(char* path, size_t size) {
  char folder[3000];
  const char* const named = getenv("MILLRACE_GPU_MODULE");
  if (named && *named) return snprintf(path, size, "%s", named) < (int)size;
  if (own_folder(folder, sizeof folder))
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
      if (snprintf(path, size, "%s/%s", folder, places[i]) < (int)size && is_there(path)) return true;
#ifdef MILLRACE_LIBDIR
  snprintf(path, size, "%s", MILLRACE_LIBDIR "/millrace/" MODULE);
  if (is_there(path)) return true;
#endif
  return false;
}

static const MrGpuApi* open_module(char* why) {
  char path[4096];
  if (!find(path, sizeof path)) {
    snprintf(why, MR_GPU_WHY, "Millrace was built without CUDA, or its module %s is not installed", MODULE);
    return NULL;
  }
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    const char* const error = dlerror();
    snprintf(why, MR_GPU_WHY, "%s", error ? error : "the module cannot be opened");
    return NULL;
  }
  const MrGpuApi* (*entry)(void) = NULL;
  *(void**)&entry = dlsym(module, MR_GPU_ENTRY); /* as POSIX has it */
  const MrGpuApi* const api = entry ? entry() : NULL;
  if (api && api->version == MR_GPU_VERSION) return api;
  snprintf(why, MR_GPU_WHY, "%.160s is not a module of this version", path);
  dlclose(module);
  return NULL;
}

const MrGpuApi* mr_gpu_library(MrGpuStatus* status, char* why) {
  pthread_mutex_lock(&library.lock);
  const MrGpuApi* api = library.api;
  *status = MR_GPU_OK;
  if (api && library.owner != getpid()) {
    snprintf(why, MR_GPU_WHY, "the process is a child of one that uses the card");
    *status = MR_GPU_LOST;
    api = NULL;
  } else if (!api) {
    api = open_module(why);
    if (!api) *status = MR_GPU_NO_DRIVER;
    library.api = api;
    library.owner = getpid();
  }
  pthread_mutex_unlock(&library.lock);
  return api;
}

MrGpuStatus mr_gpu_library_devices(MrGpuDevice* device, uint32_t room, uint32_t* count, char* why) {
  MrGpuStatus status;
  const MrGpuApi* const api = mr_gpu_library(&status, why);
  *count = 0;
  return api ? api->devices(device, room, count, why) : status;
}
