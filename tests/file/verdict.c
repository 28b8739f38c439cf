#include "file/verdict.h"

hry_status touch_all(hry_file *file, hry_error *err)
{
    hry_status status = HRY_OK;
    for (uint64_t i = 0; i < hry_file_count(file) && !status; i++) {
        hry_desc desc;
        hry_tensor *tensor;
        status = hry_file_desc(file, i, &desc, err);
        if (!status)
            status = hry_file_tensor_at(file, i, &tensor, err);
        if (!status)
            hry_tensor_release(tensor);
    }
    return status;
}

hry_status read_all_of(const void *bytes, size_t nbytes, const hry_file_options *options, hry_error *err)
{
    hry_file *file;
    hry_status status = hry_file_open_memory(bytes, nbytes, NULL, NULL, options, &file, err);
    if (status)
        return status;
    status = touch_all(file, err);
    hry_file_close(file);
    return status;
}
