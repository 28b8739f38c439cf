#include "floors/floors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int floors_main(int argc, char **argv, const floor_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (argc == 1)
            printf("%s %lu\n", jobs[i].function, jobs[i].limit);
        else if (argc == 3 && strcmp(argv[1], jobs[i].function) == 0)
            for (long calls = atol(argv[2]); calls > 0; calls--)
                jobs[i].call();
    }
    return 0;
}
