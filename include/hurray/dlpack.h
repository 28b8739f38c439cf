/*
 * DLPack: tensors handed to and taken from other libraries in the same process, without copying.
 *
 * Only the names of DLPack's structures are declared here; whoever looks into one includes <dlpack/dlpack.h>, before or
 * after this header.
 */
#ifndef HURRAY_DLPACK_H
#define HURRAY_DLPACK_H

#include <hurray/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensorVersioned; /* DLPack 1.x */
struct DLManagedTensor;          /* before 1.0 */

/*
 * Hands a tensor to a consumer: *managed holds a reference until the consumer calls its deleter, once, from any thread.
 * Row-major, column-major and strided tensors that are not quantized; strides are always filled in, the data are marked
 * read-only, and an empty tensor's data are NULL. HRY_E_UNSUPPORTED for what DLPack cannot say: other layouts,
 * quantized, opaque or dynamic tensors, float128 and private types, bool (packed here, a byte there), PEER memory.
 */
HRY_API hry_status hry_tensor_to_dlpack(hry_tensor *tensor, struct DLManagedTensorVersioned **managed, hry_error *err);

/*
 * Takes a tensor from a producer, who stays the owner: its deleter (which may be NULL) is called once, when the last
 * reference is gone, from whichever thread drops it. On failure nothing was taken and the deleter is still the
 * caller's to call; with another major version (HRY_E_UNSUPPORTED) it is the only thing that may be called.
 * The device is kept. strides NULL means row-major; negative and zero strides are taken. Elements that DLPack keeps in
 * a byte each and this library packs (bool, and sub-byte types marked as padded) are copied; then the deleter runs at
 * once. HRY_E_UNSUPPORTED for types and devices that have no counterpart, HRY_E_INPUT for structures that contradict
 * themselves (negative sizes, missing pointers, extents beyond 64 bits).
 */
HRY_API hry_status hry_tensor_from_dlpack(struct DLManagedTensorVersioned *managed, const hry_allocator *allocator,
                                          hry_tensor **tensor, hry_error *err);
HRY_API hry_status hry_tensor_from_dlpack_unversioned(struct DLManagedTensor *managed, const hry_allocator *allocator,
                                                      hry_tensor **tensor, hry_error *err);

#ifdef __cplusplus
}
#endif

#endif
