/* pva_client.cpp
 * A client of pvAccess for recordings, with pvxs' API: pva_client LOG SECONDS ACTION…
 *
 * An action is connect:NAME, or connect:PREFIX:FIRST-LAST for many; get:NAME, put:NAME=VALUE, info:NAME,
 * rpc:NAME=A,B, monitor:NAME, pipeline:NAME (a monitor with flow control), and wait:MILLISECONDS before the next one.
 * All that is not waited for goes on at once. LOG has what each callback said and when, a JSON object a line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <pvxs/client.h>
#include <pvxs/log.h>
#include <pvxs/nt.h>

using namespace pvxs;

static FILE *log_file;
static std::mutex log_lock;

/* `more`: further members, each with a comma before it. */
static void
note(const char *event, const std::string &pv, const std::string &more = "")
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::lock_guard<std::mutex> guard(log_lock);
    std::fprintf(log_file, "{\"t\": %.6f, \"event\": \"%s\", \"pv\": \"%s\"%s}\n",
                 std::chrono::duration<double>(now).count(), event, pv.c_str(), more.c_str());
    std::fflush(log_file);
}

/* What the result of an operation says. */
static std::function<void(client::Result &&)>
noting(const char *event, const std::string &pv)
{
    return [event, pv](client::Result &&result) {
        bool ok = true;
        try {
            result();
        } catch (std::exception &) {
            ok = false;
        }
        note(event, pv, ok ? ", \"ok\": true" : ", \"ok\": false");
    };
}

struct held {
    std::vector<std::shared_ptr<client::Connect>> channels;
    std::vector<std::shared_ptr<client::Operation>> operations;
    std::vector<std::shared_ptr<client::Subscription>> monitors;
};

static void
connect(client::Context &context, held &all, const std::string &pv)
{
    note("wanted", pv);
    all.channels.push_back(context.connect(pv)
                               .onConnect([pv](const client::Connected &) { note("connected", pv); })
                               .onDisconnect([pv]() { note("disconnected", pv); })
                               .exec());
}

/* PREFIX:FIRST-LAST, or a name. */
static void
connect_many(client::Context &context, held &all, const std::string &names)
{
    const size_t colon = names.rfind(':'), dash = names.find('-', colon);
    if (colon == std::string::npos || dash == std::string::npos) {
        connect(context, all, names);
        return;
    }
    const int first = std::stoi(names.substr(colon + 1)), last = std::stoi(names.substr(dash + 1));
    for (int i = first; i <= last; i++)
        connect(context, all, names.substr(0, colon + 1) + std::to_string(i));
}

static void
monitor(client::Context &context, held &all, const std::string &pv, bool pipeline)
{
    note("wanted", pv);
    auto builder = context.monitor(pv);
    if (pipeline)
        builder.record("pipeline", true).record("queueSize", uint32_t(4));
    all.monitors.push_back(builder.maskConnected(true)
                               .maskDisconnected(true)
                               .event([pv](client::Subscription &subscription) {
                                   while (auto value = subscription.pop())
                                       note("update", pv, ", \"value\": " + std::to_string(value["value"].as<double>()));
                               })
                               .exec());
}

static void
call(client::Context &context, held &all, const std::string &pv, const std::string &arguments)
{
    const size_t comma = arguments.find(',');
    auto builder = context.rpc(pv);
    note("rpc_begin", pv);
    if (comma != std::string::npos)
        builder.arg("a", std::stod(arguments)).arg("b", std::stod(arguments.substr(comma + 1)));
    all.operations.push_back(builder.result(noting("rpc", pv)).exec());
}

static void
act(client::Context &context, held &all, const std::string &verb, const std::string &rest)
{
    const size_t equals = rest.find('=');
    const std::string pv = rest.substr(0, equals), value = equals == std::string::npos ? "" : rest.substr(equals + 1);
    if (verb == "wait") {
        std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(rest)));
    } else if (verb == "connect") {
        connect_many(context, all, rest);
    } else if (verb == "monitor" || verb == "pipeline") {
        monitor(context, all, pv, verb == "pipeline");
    } else if (verb == "rpc") {
        call(context, all, pv, value);
    } else if (verb == "get") {
        note("get_begin", pv);
        all.operations.push_back(context.get(pv).result(noting("get", pv)).exec());
    } else if (verb == "info") {
        note("get_field_begin", pv);
        all.operations.push_back(context.info(pv).result(noting("get_field", pv)).exec());
    } else if (verb == "put") {
        note("put_begin", pv);
        all.operations.push_back(context.put(pv).set("value", value).result(noting("put", pv)).exec());
    } else {
        throw std::runtime_error("there is no action " + verb);
    }
}

int
main(int argc, char **argv)
{
    if (argc < 4 || !(log_file = std::fopen(argv[1], "w"))) {
        std::cerr << "pva_client LOG SECONDS ACTION...\n";
        return 2;
    }
    logger_config_env();
    auto context = client::Context::fromEnv();
    held all;
    for (int i = 3; i < argc; i++) {
        const std::string action = argv[i];
        const size_t colon = action.find(':');
        act(context, all, action.substr(0, colon), action.substr(colon + 1));
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(argv[2])));
    const std::lock_guard<std::mutex> guard(log_lock);
    std::fclose(log_file);
    std::quick_exit(0);
}
