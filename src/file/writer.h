/* A container on its way out. (file-format, 9) */
#ifndef HRY_FILE_WRITER_H
#define HRY_FILE_WRITER_H

#include "file/container_header.h"
#include "file/emit.h"
#include "file/names.h"
#include "file/parse_settings.h"
#include "os/atomic.h"

/* Bytes that grow at the end, in pieces that are found again by number. */
typedef struct hry_pieces {
    uint8_t *bytes;
    size_t length, capacity;
    uint32_t *at; /* where each piece starts */
    size_t count, at_capacity;
    hry_names names; /* each piece starts with a u16 and that many bytes of name */
} hry_pieces;

/* The tensor between begin and end: buffers have their sizes, and bytes go to the first that is not full. */
typedef struct hry_open_tensor {
    uint64_t data_offset, end; /* in the file */
    uint64_t size[255];
    uint32_t count;
    uint32_t buffer;  /* the one being filled */
    uint64_t written; /* of it */
} hry_open_tensor;

enum hry_writer_state { HRY_WRITER_BETWEEN, HRY_WRITER_IN_TENSOR, HRY_WRITER_DONE };

struct hry_writer {
    hry_allocator allocator;
    hry_emit out;
    struct hry_atomic atomic; /* when it writes to a path */
    bool to_path;
    hry_writer_options options;
    hry_parse_settings parse;
    hry_file_info info;
    enum hry_writer_state state;
    bool started;      /* the header is out */
    uint32_t wanted;   /* before that: the largest alignment among the tensors about to be written */
    hry_status failed; /* a failed write: there is no way on */
    hry_pieces index, kv;
    hry_open_tensor tensor;
};

/* What is written as it is although a new tensor would be refused. */
enum { HRY_CARRY_DEVICES = 1u << 0, HRY_CARRY_ALIGNMENT = 1u << 1, HRY_CARRY_DYNAMIC = 1u << 2 };

/* A name that a writer may write: 1 to 65,535 bytes of UTF-8 (F-17). */
hry_status hry_tensor_name_check(hry_str name, hry_error *err);

/* Name and descriptor of a tensor to come, verified: nothing is written yet. *own is the descriptor as the writer's
 * options see it. */
hry_status hry_writer_check(hry_writer *writer, hry_str name, const hry_desc *desc, unsigned carry, hry_desc *own,
                            hry_error *err);
/* Writes descriptor, padding and index entry of a tensor that was checked. */
hry_status hry_writer_open_tensor(hry_writer *writer, hry_str name, const hry_desc *desc, hry_error *err);
/* Writes the header. Every flag in it is a promise. (file-format, 9.2) */
hry_status hry_writer_start(hry_writer *writer, hry_error *err);
/* Where the file's data are aligned to, or will be once the header is written. */
uint32_t hry_writer_alignment(const hry_writer *writer);
/* The same for a tensor whose buffers cannot be known: nbytes of data as one piece, padding in it included. */
hry_status hry_writer_open_opaque(hry_writer *writer, hry_str name, const hry_desc *desc, uint64_t nbytes,
                                  hry_error *err);
/* Is the writer in that state, and has nothing failed? */
hry_status hry_writer_usable(const hry_writer *writer, enum hry_writer_state state, hry_error *err);
/* Remembers a failure that leaves the output incomplete. */
hry_status hry_writer_result(hry_writer *writer, hry_status status);

/* Room for nbytes more and a piece of that name; false when there is no memory. */
uint8_t *hry_pieces_add(hry_pieces *pieces, const hry_allocator *allocator, hry_str name, size_t nbytes);
bool hry_pieces_has(const hry_pieces *pieces, hry_str name);
hry_str hry_pieces_name(const hry_pieces *pieces, size_t i);
/* The pieces' positions in order of their names, into order. scratch has the same room. */
void hry_pieces_sort(const hry_pieces *pieces, uint32_t *order, uint32_t *scratch);
void hry_pieces_fini(hry_pieces *pieces, const hry_allocator *allocator);

#endif
