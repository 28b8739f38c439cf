#include "cli/cli_source.h"
#include "cli/cli_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An open file that has no name any more. -1 with errno set. */
static int open_temporary(void)
{
    const char *dir = getenv("TMPDIR");
    char *path = cli_format("%s/hurray-XXXXXX", dir && *dir ? dir : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

static bool write_all(int fd, const char *bytes, size_t nbytes)
{
    while (nbytes) {
        ssize_t n = write(fd, bytes, nbytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        nbytes -= (size_t)n;
    }
    return true;
}

/* What a pipe holds goes to a temporary file: a container is read from its end, and may exceed memory. */
static int spool(int from)
{
    int to = open_temporary();
    if (to < 0)
        return -1;
    enum { PIECE = 1 << 18 };
    char *piece = cli_realloc(NULL, PIECE);
    ssize_t n;
    while ((n = read(from, piece, PIECE)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || !write_all(to, piece, (size_t)n)) {
            int errnum = errno;
            close(to);
            to = -1;
            errno = errnum;
            break;
        }
    }
    free(piece);
    return to;
}

int cli_source_open(cli_source *source, const char *name)
{
    *source = (cli_source){ .name = name, .fd = -1 };
    struct stat st;
    int fd = strcmp(name, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        goto fail;
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        goto fail;
    }
    if (!S_ISREG(st.st_mode)) {
        int spooled = spool(fd);
        source->spooled = true;
        close(fd);
        fd = spooled;
        if (fd < 0 || fstat(fd, &st) != 0)
            goto fail;
    }
    source->fd = fd;
    source->size = (uint64_t)st.st_size;
    return CLI_OK;
fail:
    cli_fail_errno(name, errno);
    if (fd >= 0)
        close(fd);
    return CLI_FAILED;
}

void cli_source_close(cli_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}

bool cli_source_read(const cli_source *source, uint64_t offset, void *dst, size_t nbytes)
{
    char *to = dst;
    if (offset > source->size || nbytes > source->size - offset) {
        errno = 0;
        return false;
    }
    while (nbytes) {
        ssize_t n = pread(source->fd, to, nbytes, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n ? errno : 0;
            return false;
        }
        to += n;
        offset += (uint64_t)n;
        nbytes -= (size_t)n;
    }
    return true;
}
