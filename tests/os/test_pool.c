#include <hurray/pool.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 10000 };

typedef struct tally {
    atomic_int times[MOST];
    atomic_size_t threads; /* how many were inside at once, at most */
    atomic_size_t inside;
} tally;

static void count(void *arg, size_t i)
{
    tally *t = arg;
    size_t now = atomic_fetch_add(&t->inside, 1) + 1;
    for (size_t most = atomic_load(&t->threads); now > most;)
        if (atomic_compare_exchange_weak(&t->threads, &most, now))
            break;
    atomic_fetch_add(&t->times[i], 1);
    atomic_fetch_sub(&t->inside, 1);
}

static void run_and_check(hry_executor e, size_t n)
{
    static _Thread_local tally t;
    memset(&t, 0, sizeof t);
    e.run(e.ctx, n, count, &t);
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(atomic_load(&t.times[i]), i < n ? 1 : 0);
    assert_true(atomic_load(&t.threads) <= e.width);
}

static void test_each_index_once(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 5; threads++) {
        hry_pool *pool = NULL;
        assert_int_equal(hry_pool_create(threads, NULL, &pool, NULL), HRY_OK);
        hry_executor e = hry_pool_executor(pool);
        assert_int_equal(e.width, threads);
        static const size_t counts[] = { 0, 1, 2, 3, 7, 100, MOST };
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            run_and_check(e, counts[i]);
        hry_pool_destroy(pool);
    }
}

static void *use(void *arg)
{
    for (int i = 0; i < 50; i++)
        run_and_check(*(hry_executor *)arg, 200);
    return NULL;
}

static void test_many_callers(void **state)
{
    (void)state;
    hry_pool *pool = NULL;
    assert_int_equal(hry_pool_create(3, NULL, &pool, NULL), HRY_OK);
    hry_executor e = hry_pool_executor(pool);
    e.width = 8; /* five callers work as well as the pool's two */
    pthread_t callers[5];
    for (int i = 0; i < 5; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, use, &e), 0);
    for (int i = 0; i < 5; i++)
        pthread_join(callers[i], NULL);
    hry_pool_destroy(pool);
}

static hry_executor inner;

static void nest(void *arg, size_t i)
{
    (void)arg, (void)i;
    run_and_check(inner, 20);
}

static void test_nested(void **state)
{
    (void)state;
    hry_pool *pool = NULL;
    assert_int_equal(hry_pool_create(4, NULL, &pool, NULL), HRY_OK);
    inner = hry_pool_executor(pool);
    inner.run(inner.ctx, 30, nest, NULL);
    hry_pool_destroy(pool);
}

static void test_limits(void **state)
{
    (void)state;
    hry_pool *pool = NULL;
    assert_int_equal(hry_pool_create(1000000, NULL, &pool, NULL), HRY_E_USAGE);
    assert_null(pool);
    assert_int_equal(hry_pool_create(0, NULL, &pool, NULL), HRY_OK);
    assert_true(hry_pool_executor(pool).width >= 1);
    hry_pool_destroy(pool);
    hry_pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_index_once),
        cmocka_unit_test(test_many_callers),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
