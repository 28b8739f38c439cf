/*
 * What does each quantization scheme cost? Runs the sample network on its test images, with its weights as they are and
 * quantized in every scheme, and prints how many images each reads right and how many bytes the weights take.
 *
 *     digits MODEL.hrry
 */
#include <hurray/hurray.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 3, WIDEST = 128 };

typedef struct network {
    hry_tensor *weight[LAYERS]; /* [out, in] */
    float bias[LAYERS][WIDEST];
    uint64_t tests;
    uint8_t *images, *labels;
} network;

static hry_error err;

static int failed(const char *what)
{
    fprintf(stderr, "digits: %s: %s\n", what, err.message);
    return 1;
}

/* All of a tensor, as values of a type, into memory of at least room elements of size bytes. */
static int read_all(hry_file *model, const char *name, uint8_t type, void *values)
{
    hry_tensor *t;
    if (hry_file_tensor(model, name, &t, &err))
        return failed(name);
    int status = hry_tensor_read(t, NULL, type, NULL, values, &err) ? failed(name) : 0;
    hry_tensor_release(t);
    return status;
}

static int load(hry_file *model, network *net)
{
    char name[32];
    hry_tensor *images;
    for (int i = 0; i < LAYERS; i++) {
        snprintf(name, sizeof name, "fc%d.weight", i + 1);
        if (hry_file_tensor(model, name, &net->weight[i], &err))
            return failed(name);
        if (hry_tensor_rank(net->weight[i]) != 2 || hry_tensor_dim(net->weight[i], 0) > WIDEST ||
            hry_tensor_dim(net->weight[i], 1) > WIDEST)
            return fprintf(stderr, "digits: %s is not a matrix of this network\n", name), 1;
        snprintf(name, sizeof name, "fc%d.bias", i + 1);
        if (read_all(model, name, HRY_TYPE_FLOAT32, net->bias[i]))
            return 1;
    }
    if (hry_file_tensor(model, "test.inputs", &images, &err))
        return failed("test.inputs");
    net->tests = hry_tensor_dim(images, 0);
    net->images = malloc(net->tests * hry_tensor_dim(images, 1));
    net->labels = malloc(net->tests);
    hry_tensor_release(images);
    return !net->images || !net->labels || read_all(model, "test.inputs", HRY_TYPE_UINT8, net->images) ||
           read_all(model, "test.labels", HRY_TYPE_UINT8, net->labels);
}

/* y = W x + bias, a row of W at a time: codes become floats as they are needed. */
static void apply(const hry_rows *w, const float *bias, const float *x, float *y, bool relu)
{
    float row[WIDEST];
    for (uint64_t o = 0; o < w->count; o++) {
        double sum = (double)bias[o];
        hry_rows_f32(w, o, row);
        for (uint64_t i = 0; i < w->length; i++)
            sum += (double)row[i] * (double)x[i];
        y[o] = relu && sum < 0 ? 0.0f : (float)sum;
    }
}

static uint64_t largest(const float *x, uint64_t n)
{
    uint64_t best = 0;
    for (uint64_t i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/* How many test images the network reads right with these weights; -1 when they cannot be read. */
static int count_right(const network *net, hry_tensor *const *weight)
{
    hry_rows w[LAYERS];
    int right = 0;
    for (int i = 0; i < LAYERS; i++)
        if (hry_rows_init(&w[i], weight[i], &err))
            return failed("rows"), -1;
    for (uint64_t t = 0; t < net->tests; t++) {
        float a[WIDEST], b[WIDEST];
        for (uint64_t i = 0; i < w[0].length; i++)
            a[i] = (float)net->images[t * w[0].length + i] * 0.0625f;
        apply(&w[0], net->bias[0], a, b, true);
        apply(&w[1], net->bias[1], b, a, true);
        apply(&w[2], net->bias[2], a, b, false);
        right += largest(b, w[2].count) == net->labels[t];
    }
    return right;
}

static int show(const network *net, const char *name, hry_tensor *const *weight)
{
    uint64_t total = 0, nbytes;
    hry_difference d;
    double worst = 1e9; /* the signal over the noise of the layer that lost most */
    for (int i = 0; i < LAYERS; i++) {
        hry_desc_data_size(hry_tensor_desc(weight[i]), &nbytes);
        total += nbytes;
        if (hry_tensor_compare(net->weight[i], weight[i], 0, 0, NULL, &d, &err))
            return failed(name);
        worst = d.sqnr < worst ? d.sqnr : worst;
    }
    int right = count_right(net, weight);
    if (right < 0)
        return 1;
    printf("%-34s %6" PRIu64 " bytes  %3d of %" PRIu64 " right  %5.1f %%", name, total, right, net->tests,
           100.0 * right / (double)net->tests);
    if (worst < 1e9)
        printf("  SQNR %4.1f dB", worst);
    putchar('\n');
    return 0;
}

static int try_scheme(const network *net, const char *name, const hry_quantizer *how)
{
    hry_tensor *small[LAYERS] = { NULL };
    int status = 0;
    for (int i = 0; i < LAYERS && !status; i++)
        status = hry_tensor_quantize(net->weight[i], how, &small[i], &err) ? failed(name) : 0;
    if (!status)
        status = show(net, name, small);
    for (int i = 0; i < LAYERS; i++)
        hry_tensor_release(small[i]);
    return status;
}

static int try_all(const network *net)
{
    const struct {
        const char *name;
        hry_quantizer how;
    } schemes[] = {
        { "per-tensor int8", { .scheme = HRY_SCHEME_PER_TENSOR, .symmetric = true } },
        { "per-channel int8", { .scheme = HRY_SCHEME_PER_CHANNEL, .symmetric = true } },
        { "per-block int4, 32, float16 scales",
          { .scheme = HRY_SCHEME_PER_BLOCK,
            .storage = HRY_TYPE_INT4,
            .scale_type = HRY_TYPE_FLOAT16,
            .axis = 1,
            .block = 32,
            .symmetric = true } },
        { "the same, best scales",
          { .scheme = HRY_SCHEME_PER_BLOCK,
            .storage = HRY_TYPE_INT4,
            .scale_type = HRY_TYPE_FLOAT16,
            .axis = 1,
            .block = 32,
            .symmetric = true,
            .optimize = true } },
        { "per-block uint2, 32, zero points",
          { .scheme = HRY_SCHEME_PER_BLOCK,
            .storage = HRY_TYPE_UINT2,
            .scale_type = HRY_TYPE_FLOAT16,
            .axis = 1,
            .block = 32 } },
        { "NF4, 64", { .scheme = HRY_SCHEME_NF4, .axis = 1, .block = 64 } },
        { "MXFP8 (e4m3), 32", { .scheme = HRY_SCHEME_MXFP, .storage = HRY_TYPE_FLOAT8_E4M3, .axis = 1, .block = 32 } },
        { "MXFP6 (e2m3), 32", { .scheme = HRY_SCHEME_MXFP, .storage = HRY_TYPE_FLOAT6_E2M3, .axis = 1, .block = 32 } },
        { "MXFP4 (e2m1), 32", { .scheme = HRY_SCHEME_MXFP, .storage = HRY_TYPE_FLOAT4_E2M1, .axis = 1, .block = 32 } },
    };
    if (show(net, "float32", net->weight))
        return 1;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (try_scheme(net, schemes[i].name, &schemes[i].how))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    network net = { .tests = 0 };
    hry_file *model;
    if (argc != 2)
        return fprintf(stderr, "usage: digits MODEL.hrry\n"), 2;
    if (hry_file_open(argv[1], NULL, &model, &err))
        return failed(argv[1]);
    int status = load(model, &net) || try_all(&net);
    for (int i = 0; i < LAYERS; i++)
        hry_tensor_release(net.weight[i]);
    hry_file_close(model);
    free(net.images);
    free(net.labels);
    return status;
}
