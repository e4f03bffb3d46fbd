/* A disk that forgets: preloaded into a program, it stands between it and the real disk.
 *
 * A real disk keeps what was synced and may lose the rest. So after each successful sync of a database file
 * its content is copied to DISK_IMAGE: whatever happens then, the image is what a power cut would leave.
 *
 * A file in DISK_ORDERS makes it misbehave while it is there:
 *   deaf  syncs succeed and do nothing, as if the program had not asked for them
 *   eio   syncs fail with EIO
 *   full  writes fail with ENOSPC
 *   index the index over the log (wilco.db-shm) cannot grow
 * Only files of DISK_DATA named wilco.db… are touched. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int ordered(const char *what) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", getenv("DISK_ORDERS"), what);
    return access(path, F_OK) == 0;
}

/* The name of a database file, or NULL for any other. */
static const char *database_name(const char *path) {
    const char *data = getenv("DISK_DATA");
    if (!data || strncmp(path, data, strlen(data)) != 0) return NULL;
    const char *name = strrchr(path, '/') + 1;
    return strncmp(name, "wilco.db", 8) == 0 ? name : NULL;
}

static const char *database_file(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    return database_name(path);
}

static int copy(const char *from, const char *name) {
    char part[PATH_MAX], whole[PATH_MAX], buffer[1 << 16];
    snprintf(part, sizeof part, "%s/part", getenv("DISK_IMAGE"));
    snprintf(whole, sizeof whole, "%s/%s", getenv("DISK_IMAGE"), name);
    int in = open(from, O_RDONLY), out = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t got = -1;
    while (in >= 0 && out >= 0 && (got = read(in, buffer, sizeof buffer)) > 0)
        if (write(out, buffer, got) != got) { got = -1; break; }
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return got == 0 ? rename(part, whole) : -1;
}

static int sync_with(const char *how, int fd) {
    char path[PATH_MAX];
    const char *name = database_file(fd, path, sizeof path);
    int (*sync)(int) = real(how);
    if (!name) return sync(fd);
    if (ordered("eio")) { errno = EIO; return -1; }
    if (ordered("deaf")) return 0;
    int done = sync(fd);
    if (done == 0) {
        pthread_mutex_lock(&copying);
        if (copy(path, name) != 0) { perror("the image"); abort(); }
        pthread_mutex_unlock(&copying);
    }
    return done;
}

int fsync(int fd) { return sync_with("fsync", fd); }
int fdatasync(int fd) { return sync_with("fdatasync", fd); }

/* SQLite syncs the directory after it. */
int unlink(const char *path) {
    int (*remove)(const char *) = real("unlink");
    const char *name = database_name(path);
    int done = remove(path);
    if (done == 0 && name) {
        char kept[PATH_MAX];
        snprintf(kept, sizeof kept, "%s/%s", getenv("DISK_IMAGE"), name);
        remove(kept);
    }
    return done;
}

/* What a write to this file fails with, or 0. */
static int refused(int fd) {
    char path[PATH_MAX];
    int full = ordered("full"), index = ordered("index");
    const char *name = full || index ? database_file(fd, path, sizeof path) : NULL;
    if (name && full) return ENOSPC;
    return name && index && strcmp(name, "wilco.db-shm") == 0 ? EIO : 0;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    if ((errno = refused(fd))) return -1;
    return ((ssize_t (*)(int, const void *, size_t, off_t))real("pwrite"))(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    if ((errno = refused(fd))) return -1;
    return ((ssize_t (*)(int, const void *, size_t, off64_t))real("pwrite64"))(fd, data, size, at);
}
