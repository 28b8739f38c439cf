#include "cli/cli_stream.h"
#include "cli/cli_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };

/* The permissions of a file that is replaced, else those that the umask leaves. */
static mode_t target_mode(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A temporary file beside the target, so that it can take its name. */
static int open_temporary(cli_stream *stream)
{
    const char *path = stream->output.path, *slash = strrchr(path, '/');
    int dir = slash ? (int)(slash - path) + 1 : 0;
    stream->temporary = cli_format("%.*s.hurray-XXXXXX.tmp", dir, path);
    int fd = mkostemps(stream->temporary, 4, O_CLOEXEC);
    if (fd < 0 || fchmod(fd, target_mode(path)) != 0 || !(stream->file = fdopen(fd, "w"))) {
        int code = cli_fail_errno(stream->output.name, errno);
        if (fd >= 0) {
            close(fd);
            unlink(stream->temporary);
        }
        free(stream->temporary);
        stream->temporary = NULL;
        return code;
    }
    setvbuf(stream->file, NULL, _IOFBF, BUFFER);
    return CLI_OK;
}

/* A pipe or device: the stream takes the descriptor over. */
static int open_special(cli_stream *stream)
{
    stream->file = fdopen(stream->output.fd, "w");
    if (!stream->file)
        return cli_fail_errno(stream->output.name, errno);
    stream->output.fd = -1;
    return CLI_OK;
}

int cli_stream_open(cli_stream *stream, const char *name, bool text, const cli_args *args)
{
    *stream = (cli_stream){ .output = { .fd = -1 } };
    bool standard = strcmp(name, "-") == 0;
    if (standard && text) {
        stream->file = stdout;
        return CLI_OK;
    }
    int code = cli_output_open(&stream->output, name, args);
    if (code || stream->output.dry)
        return code;
    if (standard)
        stream->file = stdout;
    else
        code = stream->output.path ? open_temporary(stream) : open_special(stream);
    if (code)
        cli_output_close(&stream->output, code);
    return code;
}

bool cli_stream_failed(const cli_stream *stream)
{
    return stream->file && ferror(stream->file);
}

/* A new name must not be taken meanwhile, where the file system can tell. */
static int put_in_place(const cli_stream *stream)
{
    const char *from = stream->temporary, *to = stream->output.path;
    if (stream->output.replace)
        return rename(from, to);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return link(from, to) ? -1 : unlink(from);
}

static int complete(cli_stream *stream)
{
    errno = 0;
    bool written = fflush(stream->file) == 0 && !ferror(stream->file) && fsync(fileno(stream->file)) == 0;
    return written && put_in_place(stream) == 0 ? CLI_OK : cli_fail_errno(stream->output.name, errno ? errno : EIO);
}

int cli_stream_close(cli_stream *stream, int code)
{
    if (stream->temporary) {
        if (code == CLI_OK)
            code = complete(stream);
        if (code)
            unlink(stream->temporary);
        fclose(stream->file);
    } else if (stream->file && stream->file != stdout) {
        bool failed = ferror(stream->file);
        if ((fclose(stream->file) != 0 || failed) && code == CLI_OK)
            code = cli_fail_errno(stream->output.name, errno ? errno : EIO);
    }
    free(stream->temporary);
    stream->temporary = NULL;
    stream->file = NULL;
    return cli_output_close(&stream->output, code);
}
