#define _GNU_SOURCE /* sched_getaffinity */
#include "base/alloc.h"
#include "base/status.h"

#include <hurray/pool.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* One call of run. It lives on its caller's stack, and in the pool's list while indices are left to hand out. */
typedef struct job {
    struct job *next;
    void (*task)(void *arg, size_t i);
    void *arg;
    size_t count;
    size_t taken;    /* indices handed out */
    size_t finished; /* and come back */
} job;

struct hry_pool {
    hry_allocator allocator;
    pthread_mutex_t lock;
    pthread_cond_t work; /* a job came, or the end */
    pthread_cond_t done; /* a job's last index came back */
    job *first, **last;  /* jobs with indices left */
    bool ending;
    size_t width;
    size_t started;
    pthread_t threads[];
};

static void remove_job(hry_pool *pool, job *j)
{
    job **at = &pool->first;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    if (!*at)
        pool->last = at;
}

/* Works at j, with the lock held on entry and exit, until no index is left to take. */
static void work_at(hry_pool *pool, job *j)
{
    while (j->taken < j->count) {
        size_t i = j->taken++;
        if (j->taken == j->count)
            remove_job(pool, j);
        pthread_mutex_unlock(&pool->lock);
        j->task(j->arg, i);
        pthread_mutex_lock(&pool->lock);
        if (++j->finished == j->count) {
            pthread_cond_broadcast(&pool->done);
            return; /* j may be gone as soon as the lock is */
        }
    }
}

static void *serve(void *arg)
{
    hry_pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    while (!pool->ending) {
        if (pool->first)
            work_at(pool, pool->first);
        else
            pthread_cond_wait(&pool->work, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void run(void *ctx, size_t count, void (*task)(void *arg, size_t i), void *arg)
{
    hry_pool *pool = ctx;
    if (pool->started == 0 || count <= 1) {
        for (size_t i = 0; i < count; i++)
            task(arg, i);
        return;
    }
    job j = { .task = task, .arg = arg, .count = count };
    pthread_mutex_lock(&pool->lock);
    *pool->last = &j;
    pool->last = &j.next;
    pthread_cond_broadcast(&pool->work);
    work_at(pool, &j);
    while (j.finished < j.count)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static size_t processors(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (size_t)CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (size_t)n;
}

/* Signals are the program's own threads' to handle. */
static int start(hry_pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = 0;
    while (error == 0 && pool->started < pool->width - 1) {
        error = pthread_create(&pool->threads[pool->started], NULL, serve, pool);
        pool->started += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static size_t bytes_of(size_t width)
{
    return sizeof(hry_pool) + (width - 1) * sizeof(pthread_t);
}

hry_status hry_pool_create(size_t threads, const hry_allocator *allocator, hry_pool **out, hry_error *err)
{
    enum { MOST = 4096 };
    size_t width = threads ? threads : processors();
    if (width > MOST)
        return hry_fail_usage(err, "a pool of %zu threads is more than %d", width, MOST);
    hry_pool *pool = hry_alloc_zeroed(allocator, bytes_of(width), _Alignof(hry_pool));
    if (!pool)
        return hry_fail_memory(err, bytes_of(width));
    pool->allocator = hry_allocator_or_default(allocator);
    pool->width = width;
    pool->last = &pool->first;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    int error = start(pool);
    if (error) {
        hry_pool_destroy(pool);
        return hry_fail_errno(err, error, "a thread did not start");
    }
    *out = pool;
    return HRY_OK;
}

void hry_pool_destroy(hry_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->done);
    hry_allocator allocator = pool->allocator;
    hry_free(&allocator, pool, bytes_of(pool->width), _Alignof(hry_pool));
}

hry_executor hry_pool_executor(hry_pool *pool)
{
    return (hry_executor){ run, pool, pool->width };
}
