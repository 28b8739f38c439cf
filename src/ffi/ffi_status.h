/* Errors of the library as codes of the ABI. */
#ifndef HRY_FFI_FFI_STATUS_H
#define HRY_FFI_FFI_STATUS_H

#include <hurray.h>
#include <hurray/base.h>

HurrayStatus hurray_status_of(const hry_error *err);

#endif
