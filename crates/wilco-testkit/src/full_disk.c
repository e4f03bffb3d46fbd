/* A disk without room, preloaded into PostgreSQL: while the file FULL_WHEN is there, no table of the database grows.
 * What is in its files already is written as before, and its log is on another disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_full(int fd, off_t end) {
    const char *when = getenv("FULL_WHEN");
    if (!when || access(when, F_OK) != 0) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    struct stat found;
    if (!strstr(path, "/base/") || fstat(fd, &found) != 0 || end <= found.st_size) return 0;
    errno = ENOSPC;
    return 1;
}

#define REAL(name, ...) ((__VA_ARGS__)dlsym(RTLD_NEXT, name))
typedef ssize_t (*write_at)(int, const void *, size_t, off_t);
typedef ssize_t (*write_all_at)(int, const struct iovec *, int, off_t);
typedef int (*allocate)(int, off_t, off_t);

static off_t bytes(const struct iovec *parts, int many) {
    off_t sum = 0;
    for (int part = 0; part < many; part++) sum += parts[part].iov_len;
    return sum;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return is_full(fd, at + (off_t)size) ? -1 : REAL("pwrite", write_at)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    return is_full(fd, at + (off_t)size) ? -1 : REAL("pwrite64", write_at)(fd, data, size, at);
}
ssize_t pwritev(int fd, const struct iovec *parts, int many, off_t at) {
    return is_full(fd, at + bytes(parts, many)) ? -1 : REAL("pwritev", write_all_at)(fd, parts, many, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int many, off64_t at) {
    return is_full(fd, at + bytes(parts, many)) ? -1 : REAL("pwritev64", write_all_at)(fd, parts, many, at);
}
int posix_fallocate(int fd, off_t at, off_t size) {
    return is_full(fd, at + size) ? ENOSPC : REAL("posix_fallocate", allocate)(fd, at, size);
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
    return is_full(fd, at + size) ? ENOSPC : REAL("posix_fallocate64", allocate)(fd, at, size);
}
