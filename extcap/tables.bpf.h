/* tables.bpf.h
 * Tables of what is remembered by a key: each key has its place in one of the sets, whose oldest entry makes room for a
 * new one. An LRU hash of the kernel's costs twenty times as much to find something, a microsecond to add something.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TABLES_BPF_H
#define TABLES_BPF_H

enum { WAYS = 4 };

/* A set begins with this, and has an entry for each place. */
struct places {
    __u64 keys[WAYS]; /* 0: none */
    __u64 seen_ns[WAYS];
};

#define TABLE(name, bits, set_type)                                                                                    \
    struct {                                                                                                           \
        __uint(type, BPF_MAP_TYPE_ARRAY);                                                                              \
        __uint(max_entries, 1 << (bits));                                                                              \
        __type(key, __u32);                                                                                            \
        __type(value, set_type);                                                                                       \
    } name SEC(".maps")

/* An address of the kernel's as a key: its bytes are swapped, for the verifier lets nobody calculate with a pointer. */
static __always_inline __u64
key_of(const void *address)
{
    return __builtin_bswap64((__u64)address);
}

/* The set of a table of 2^bits in which `key` may be. NULL never, but the verifier does not know. */
static __always_inline void *
set_of(void *table, __u32 bits, __u64 key)
{
    const __u32 number = key * 0x9e3779b97f4a7c15ULL >> (64 - bits);
    return bpf_map_lookup_elem(table, &number);
}

/* Which of a set's places has this key, or is to have it: not less than WAYS never, but the verifier does not know. */
static __always_inline __u32
place(const struct places *places, __u64 key)
{
    __u32 oldest = 0;
    for (__u32 i = 0; i < WAYS; i++) {
        if (places->keys[i] == key)
            return i;
        if (places->seen_ns[i] < places->seen_ns[oldest % WAYS])
            oldest = i;
    }
    return oldest;
}

/* The entry with this key, seen now, of a set that has them in `entries`; a new one is all zero. */
#define ENTRY_OF(set, entries, key, now_ns)                                                                            \
    ({                                                                                                                 \
        const __u32 at_ = place(&(set)->places, key) % WAYS;                                                           \
        if ((set)->places.keys[at_] != (key)) {                                                                        \
            (set)->entries[at_] = (__typeof__((set)->entries[0])){ 0 };                                                \
            (set)->places.keys[at_] = (key);                                                                           \
        }                                                                                                              \
        (set)->places.seen_ns[at_] = (now_ns);                                                                         \
        &(set)->entries[at_];                                                                                          \
    })

/* The place that has this key, or WAYS. */
static __always_inline __u32
place_with(const struct places *places, __u64 key)
{
    for (__u32 i = 0; i < WAYS; i++)
        if (places->keys[i] == key)
            return i;
    return WAYS;
}

#endif
