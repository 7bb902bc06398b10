/* load.c
 * Gets from memcached at full speed: load PORT SECONDS CONNECTIONS SERVER_PID. Each connection asks again as soon as it
 * is answered. Prints the gets, the seconds, and the seconds of processor time that this process and the server took.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 64, ANSWER_BYTES = 4096 };
static const char get[] = "get key\r\n";

static double
seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int
open_connection(int port)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    const struct sockaddr_in server = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    if (fd < 0 || connect(fd, (const struct sockaddr *)&server, sizeof(server)) ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one))) {
        perror("load");
        exit(EXIT_FAILURE);
    }
    return fd;
}

/* Asks whoever was answered. */
static long
ask_again(int epoll)
{
    struct epoll_event events[EVENTS];
    char answer[ANSWER_BYTES];
    const int count = epoll_wait(epoll, events, EVENTS, 100);
    for (int i = 0; i < count; i++)
        if (recv(events[i].data.fd, answer, sizeof(answer), 0) <= 0 ||
            send(events[i].data.fd, get, sizeof(get) - 1, 0) < 0)
            exit(EXIT_FAILURE);
    return count;
}

int
main(int count, char **arguments)
{
    clockid_t server;
    if (count != 5 || clock_getcpuclockid(atoi(arguments[4]), &server))
        return EXIT_FAILURE;
    const int epoll = epoll_create1(0);
    for (int left = atoi(arguments[3]); left > 0; left--) {
        struct epoll_event event = { .events = EPOLLIN, .data.fd = open_connection(atoi(arguments[1])) };
        epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
        if (send(event.data.fd, get, sizeof(get) - 1, 0) < 0)
            return EXIT_FAILURE;
    }
    const double begin = seconds(CLOCK_MONOTONIC), until = begin + atof(arguments[2]);
    const double before = seconds(CLOCK_PROCESS_CPUTIME_ID) + seconds(server);
    long gets = 0;
    while (seconds(CLOCK_MONOTONIC) < until)
        gets += ask_again(epoll);
    printf("%ld %f %f\n", gets, seconds(CLOCK_MONOTONIC) - begin,
           seconds(CLOCK_PROCESS_CPUTIME_ID) + seconds(server) - before);
    return EXIT_SUCCESS;
}
