/* Everything of the core library. */
#ifndef HURRAY_HURRAY_H
#define HURRAY_HURRAY_H

#include <hurray/base.h>
#include <hurray/desc.h>
#include <hurray/dlpack.h>
#include <hurray/file.h>
#include <hurray/layout.h>
#include <hurray/pool.h>
#include <hurray/quant.h>
#include <hurray/quantize.h>
#include <hurray/tensor.h>
#include <hurray/type.h>

#endif
