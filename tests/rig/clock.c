/* Stands between a program and the system's clocks, and adds what it is told.

   CLOCK_AHEAD_S is how many seconds are added to the time of day, from beginning to end.
   CLOCK_FILE is mapped into memory and holds two numbers of nanoseconds: what is added to
   the time of day, and what to the clock that only goes forward. A change is seen at
   once. Deadlines that a program names in a moved clock are taken back to the real one.

   Nothing is locked, written or left open: a process may fork, be killed, begin without
   an output or forbid itself system calls. (libfaketime 0.9.10 takes a lock whenever it
   is asked the time, which a child forked meanwhile waits for without end.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define DAY_ONE 1000000000LL /* no machine has run for so many seconds */

static const int64_t none[2] = {0, 0};
static const volatile int64_t *added = none;
static int64_t ahead;
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
static int (*real_sem)(sem_t *, clockid_t, const struct timespec *);
static int (*real_sem_of_day)(sem_t *, const struct timespec *);
static int (*real_cond)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*real_cond_clock)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
                              const struct timespec *);

__attribute__((constructor)) static void begin(void) {
  real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  real_sem = dlsym(RTLD_NEXT, "sem_clockwait");
  real_sem_of_day = dlsym(RTLD_NEXT, "sem_timedwait");
  real_cond = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real_cond) real_cond = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  real_cond_clock = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  const char *seconds = getenv("CLOCK_AHEAD_S"), *name = getenv("CLOCK_FILE");
  if (seconds) ahead = strtoll(seconds, NULL, 10) * SECOND;
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *map = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (map != MAP_FAILED) added = map;
}

static int64_t added_to(clockid_t clock) {
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE: return ahead + added[0];
  case CLOCK_MONOTONIC:
  case CLOCK_MONOTONIC_COARSE:
  case CLOCK_MONOTONIC_RAW:
  case CLOCK_BOOTTIME: return added[1];
  default: return 0;
  }
}

static struct timespec plus(const struct timespec *at, int64_t by) {
  int64_t all = at->tv_nsec + by % SECOND, seconds = at->tv_sec + by / SECOND;
  if (all < 0) { all += SECOND; seconds--; }
  if (all >= SECOND) { all -= SECOND; seconds++; }
  struct timespec made = {seconds < 0 ? 0 : seconds, all};
  return made;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  if (!real_gettime) real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real_gettime(clock, at);
  if (!failed) *at = plus(at, added_to(clock));
  return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

static clockid_t clock_of(const struct timespec *at) {
  return at->tv_sec > DAY_ONE ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *at,
                    struct timespec *left) {
  if (!(flags & TIMER_ABSTIME)) return real_nanosleep(clock, flags, at, left);
  struct timespec until = plus(at, -added_to(clock));
  return real_nanosleep(clock, flags, &until, left);
}

int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *at) {
  struct timespec until = plus(at, -added_to(clock));
  return real_sem(sem, clock, &until);
}

int sem_timedwait(sem_t *sem, const struct timespec *at) {
  struct timespec until = plus(at, -added_to(CLOCK_REALTIME));
  return real_sem_of_day(sem, &until);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *at) {
  struct timespec until = plus(at, -added_to(clock_of(at)));
  return real_cond(cond, mutex, &until);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           clockid_t clock, const struct timespec *at) {
  struct timespec until = plus(at, -added_to(clock));
  return real_cond_clock(cond, mutex, clock, &until);
}
