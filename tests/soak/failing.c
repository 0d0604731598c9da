/* Stands between a program and its disk, and lets what lies below a folder fail.

   A byte of a file says how, and a change is seen at once: 0 not at all, 1 always, 2 only
   what writes; n above that, one of n calls. What fails ends with EIO, as where a disk
   has a bad place, and has done nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 4096 /* file handles that are known */

static const uint8_t never = 0;
static const volatile uint8_t *how = &never;
static const char *folder = "";
static size_t length;
static volatile uint8_t below[MOST];
static unsigned calls;

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *place = getenv("SOAK_DISK"), *name = getenv("SOAK_DISK_FAILS");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (!place || file < 0) return;
  void *map = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (map == MAP_FAILED) return;
  folder = place;
  length = strlen(place);
  how = map;
}

static int lies_below(const char *path) {
  return length && path && !strncmp(path, folder, length) &&
         (path[length] == '/' || !path[length]);
}

static int fails(int is_meant, int writes) {
  uint8_t now = *how;
  if (!is_meant || !now || (now == 2 && !writes)) return 0;
  if (now > 2 && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % now) return 0;
  errno = EIO;
  return 1;
}

static int known(int file) { return file >= 0 && file < MOST && below[file]; }

static int noted(int file, const char *path) {
  if (file >= 0 && file < MOST) below[file] = (uint8_t)lies_below(path);
  return file;
}

static int mode_of(int flags, va_list more) {
  return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(more, int) : 0;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    int mode = mode_of(flags, more); \
    va_end(more); \
    if (fails(lies_below(path), flags & (O_WRONLY | O_RDWR | O_CREAT))) return -1; \
    return noted(real(path, flags, mode), path); \
  }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name) \
  int name(int from, const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    int mode = mode_of(flags, more); \
    va_end(more); \
    if (fails(lies_below(path), flags & (O_WRONLY | O_RDWR | O_CREAT))) return -1; \
    return noted(real(from, path, flags, mode), path); \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

int close(int file) {
  REAL(close);
  if (file >= 0 && file < MOST) below[file] = 0;
  return real(file);
}

#define ON_FILE(kind, name, writes, form, given) \
  kind name form { \
    REAL(name); \
    if (fails(known(file), writes)) return -1; \
    return real given; \
  }
ON_FILE(ssize_t, read, 0, (int file, void *to, size_t size), (file, to, size))
ON_FILE(ssize_t, pread, 0, (int file, void *to, size_t size, off_t at),
        (file, to, size, at))
ON_FILE(ssize_t, pread64, 0, (int file, void *to, size_t size, off64_t at),
        (file, to, size, at))
ON_FILE(ssize_t, write, 1, (int file, const void *from, size_t size), (file, from, size))
ON_FILE(ssize_t, pwrite, 1, (int file, const void *from, size_t size, off_t at),
        (file, from, size, at))
ON_FILE(ssize_t, pwrite64, 1, (int file, const void *from, size_t size, off64_t at),
        (file, from, size, at))
ON_FILE(int, fsync, 1, (int file), (file))
ON_FILE(int, fdatasync, 1, (int file), (file))
ON_FILE(int, ftruncate, 1, (int file, off_t size), (file, size))
ON_FILE(int, ftruncate64, 1, (int file, off64_t size), (file, size))

#define ON_PATH(name, form, given) \
  int name form { \
    REAL(name); \
    if (fails(lies_below(path), 1)) return -1; \
    return real given; \
  }
ON_PATH(rename, (const char *path, const char *to), (path, to))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
