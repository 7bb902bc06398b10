/* kafka_api.c
 * kafka.apache.org/protocol; clients/src/main/resources/common/message of its source.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "kafka_api.h"

#include <string.h>

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"

enum { FETCH = 1, LIST_OFFSETS = 2, METADATA = 3, NEVER = 99 };

struct api {
    const char *name;
    uint8_t flexible;  /* from this version on */
    uint8_t error;     /* 1 + the version from which on there is an error's number, behind `throttle`; 0: none */
    uint8_t throttled; /* from this version on 4 bytes of time stand before it */
};

static const struct api apis[] = {
    [KAFKA_PRODUCE] = { "Produce", 9, 0, 0 },
    [FETCH] = { "Fetch", 12, 1 + 7, 7 },
    [LIST_OFFSETS] = { "ListOffsets", 6, 0, 0 },
    [METADATA] = { "Metadata", 9, 0, 0 },
    [4] = { "LeaderAndIsr", 4, 1, NEVER },
    [5] = { "StopReplica", 2, 1, NEVER },
    [6] = { "UpdateMetadata", 6, 1, NEVER },
    [7] = { "ControlledShutdown", 3, 1, NEVER },
    [8] = { "OffsetCommit", 8, 0, 0 },
    [9] = { "OffsetFetch", 6, 0, 0 },
    [10] = { "FindCoordinator", 3, 1, 1 },
    [11] = { "JoinGroup", 6, 1, 2 },
    [12] = { "Heartbeat", 4, 1, 1 },
    [13] = { "LeaveGroup", 4, 1, 1 },
    [14] = { "SyncGroup", 4, 1, 1 },
    [15] = { "DescribeGroups", 5, 0, 0 },
    [16] = { "ListGroups", 3, 1, 1 },
    [17] = { "SaslHandshake", NEVER, 1, NEVER },
    [KAFKA_API_VERSIONS] = { "ApiVersions", 3, 1, NEVER },
    [19] = { "CreateTopics", 5, 0, 0 },
    [20] = { "DeleteTopics", 4, 0, 0 },
    [21] = { "DeleteRecords", 2, 0, 0 },
    [22] = { "InitProducerId", 2, 1, 0 },
    [23] = { "OffsetForLeaderEpoch", 4, 0, 0 },
    [24] = { "AddPartitionsToTxn", 3, 0, 0 },
    [25] = { "AddOffsetsToTxn", 3, 1, 0 },
    [26] = { "EndTxn", 3, 1, 0 },
    [27] = { "WriteTxnMarkers", 1, 0, 0 },
    [28] = { "TxnOffsetCommit", 3, 0, 0 },
    [29] = { "DescribeAcls", 2, 1, 0 },
    [30] = { "CreateAcls", 2, 0, 0 },
    [31] = { "DeleteAcls", 2, 0, 0 },
    [32] = { "DescribeConfigs", 4, 0, 0 },
    [33] = { "AlterConfigs", 2, 0, 0 },
    [34] = { "AlterReplicaLogDirs", 2, 0, 0 },
    [35] = { "DescribeLogDirs", 2, 0, 0 },
    [36] = { "SaslAuthenticate", 2, 1, NEVER },
    [37] = { "CreatePartitions", 2, 0, 0 },
    [38] = { "CreateDelegationToken", 2, 1, NEVER },
    [39] = { "RenewDelegationToken", 2, 1, NEVER },
    [40] = { "ExpireDelegationToken", 2, 1, NEVER },
    [41] = { "DescribeDelegationToken", 2, 1, NEVER },
    [42] = { "DeleteGroups", 2, 0, 0 },
    [43] = { "ElectLeaders", 2, 0, 0 },
    [44] = { "IncrementalAlterConfigs", 1, 0, 0 },
    [45] = { "AlterPartitionReassignments", 0, 1, 0 },
    [46] = { "ListPartitionReassignments", 0, 1, 0 },
    [47] = { "OffsetDelete", NEVER, 1, NEVER },
    [48] = { "DescribeClientQuotas", 1, 1, 0 },
    [49] = { "AlterClientQuotas", 1, 0, 0 },
    [50] = { "DescribeUserScramCredentials", 0, 1, 0 },
    [51] = { "AlterUserScramCredentials", 0, 0, 0 },
    [55] = { "DescribeQuorum", 0, 1, NEVER },
    [57] = { "UpdateFeatures", 0, 1, 0 },
    [60] = { "DescribeCluster", 0, 1, 0 },
    [61] = { "DescribeProducers", 0, 0, 0 },
    [65] = { "DescribeTransactions", 0, 0, 0 },
    [66] = { "ListTransactions", 0, 1, 0 },
    [68] = { "ConsumerGroupHeartbeat", 0, 1, 0 },
    [69] = { "ConsumerGroupDescribe", 0, 0, 0 },
    [71] = { "GetTelemetrySubscriptions", 0, 1, 0 },
    [72] = { "PushTelemetry", 0, 1, 0 },
    [75] = { "DescribeTopicPartitions", 0, 0, 0 },
};

const char *
kafka_api_name(unsigned api)
{
    return api < G_N_ELEMENTS(apis) ? apis[api].name : NULL;
}

bool
kafka_is_flexible(unsigned api, unsigned version)
{
    return kafka_api_name(api) && version >= apis[api].flexible;
}

static bool
pass(const uint8_t **at, const uint8_t *end, size_t bytes)
{
    if ((size_t)(end - *at) < bytes)
        return false;
    *at += bytes;
    return true;
}

/* Seven bits a byte, the lowest first. */
static bool
read_varint(const uint8_t **at, const uint8_t *end, uint32_t *number)
{
    enum { BYTES_MOST = 5 };
    *number = 0;
    for (unsigned i = 0; i < BYTES_MOST && *at < end; i++) {
        const uint8_t byte = *(*at)++;
        *number |= (uint32_t)(byte & 0x7f) << 7 * i;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

bool
kafka_pass_tags(const uint8_t **at, const uint8_t *end)
{
    uint32_t count, tag, bytes;
    if (!read_varint(at, end, &count))
        return false;
    for (; count > 0; count--)
        if (!read_varint(at, end, &tag) || !read_varint(at, end, &bytes) || !pass(at, end, bytes))
            return false;
    return true;
}

/* A text of at most 249 bytes, a topic's longest; -1 if there is none. */
static int32_t
read_text(const uint8_t **at, const uint8_t *end, bool is_flexible)
{
    uint32_t more;
    if (is_flexible)
        return read_varint(at, end, &more) ? (int32_t)MIN(more, INT16_MAX) - 1 : -1;
    if (end - *at < 2)
        return -1;
    const int16_t bytes = (int16_t)pntohu16(*at);
    *at += 2;
    return bytes;
}

static bool
pass_text(const uint8_t **at, const uint8_t *end, bool is_flexible)
{
    const uint8_t *before = *at;
    const int32_t bytes = read_text(at, end, is_flexible);
    return *at > before && (bytes < 0 || pass(at, end, (size_t)bytes));
}

/* How many elements; 0 for none. */
static uint32_t
read_count(const uint8_t **at, const uint8_t *end, bool is_flexible)
{
    uint32_t count = 0;
    if (is_flexible)
        return read_varint(at, end, &count) && count > 0 ? count - 1 : 0;
    if (end - *at < 4)
        return 0;
    count = pntohu32(*at);
    *at += 4;
    return count == UINT32_MAX ? 0 : count;
}

/* A Produce has a transaction's name before what it wants. */
static bool
pass_transaction(unsigned version, const uint8_t **at, const uint8_t *end)
{
    enum { TRANSACTIONS = 3 };
    return version < TRANSACTIONS || pass_text(at, end, kafka_is_flexible(KAFKA_PRODUCE, version));
}

bool
kafka_is_answered(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end)
{
    return api != KAFKA_PRODUCE || !pass_transaction(version, &at, end) || end - at < 2 || pntohu16(at) != 0;
}

/* Up to the topics; false if that is not known. */
static bool
pass_to_topics(unsigned api, unsigned version, const uint8_t **at, const uint8_t *end)
{
    switch (api) {
    case KAFKA_PRODUCE:
        return version < 13 && pass_transaction(version, at, end) && pass(at, end, 2 + 4);
    case FETCH:
        return version < 13 &&
               pass(at, end, 12U + (version >= 3 ? 4 : 0) + (version >= 4 ? 1 : 0) + (version >= 7 ? 8 : 0));
    case LIST_OFFSETS:
        return pass(at, end, version >= 2 ? 5 : 4);
    default:
        return api == METADATA;
    }
}

void
kafka_topic(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end, char *topic, size_t room)
{
    enum { TOPIC_ID_BYTES = 16, METADATA_IDS = 10 };
    const bool is_flexible = kafka_is_flexible(api, version);
    topic[0] = '\0';
    if (!pass_to_topics(api, version, &at, end) || read_count(&at, end, is_flexible) == 0)
        return;
    if (api == METADATA && version >= METADATA_IDS && !pass(&at, end, TOPIC_ID_BYTES))
        return;
    const int32_t bytes = read_text(&at, end, is_flexible);
    if (bytes <= 0 || bytes > end - at || (size_t)bytes >= room)
        return;
    memcpy(topic, at, (size_t)bytes);
    topic[bytes] = '\0';
}

bool
kafka_awaits_event(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end)
{
    enum { WITHOUT_REPLICA = 15, NUMBER = 4 };
    if (api != FETCH || (version < WITHOUT_REPLICA && !pass(&at, end, NUMBER)) || end - at < 2 * NUMBER)
        return false;
    return (int32_t)pntohu32(at) > 0 && (int32_t)pntohu32(at + NUMBER) > 0;
}

/* Of the first partition: topics, a name, partitions, a number. */
static int16_t
produce_error(unsigned version, const uint8_t *at, const uint8_t *end)
{
    const bool is_flexible = kafka_is_flexible(KAFKA_PRODUCE, version);
    const bool is_there = version < 13 && read_count(&at, end, is_flexible) > 0 && pass_text(&at, end, is_flexible) &&
                          read_count(&at, end, is_flexible) > 0 && pass(&at, end, 4) && end - at >= 2;
    return is_there ? (int16_t)pntohu16(at) : 0;
}

int16_t
kafka_error(unsigned api, unsigned version, const uint8_t *at, const uint8_t *end)
{
    enum { COORDINATORS = 4, THROTTLE_BYTES = 4 };
    /* a header of tagged fields, but of ApiVersions, which is asked before versions are known */
    if (kafka_is_flexible(api, version) && api != KAFKA_API_VERSIONS && !kafka_pass_tags(&at, end))
        return 0;
    if (api == KAFKA_PRODUCE)
        return produce_error(version, at, end);
    const struct api *known = &apis[api];
    if (!known->error || version < known->error - 1U || (api == 10 && version >= COORDINATORS))
        return 0;
    if (version >= known->throttled && !pass(&at, end, THROTTLE_BYTES))
        return 0;
    return end - at >= 2 ? (int16_t)pntohu16(at) : 0;
}
