/* pva_server.cpp
 * A server of pvAccess for recordings, with pvxs' API: pva_server PREFIX COUNT [PERIOD_MS [LENGTH]]
 *
 * It has doubles PREFIX:0 … that can be read, written and monitored, an array PREFIX:array of LENGTH doubles, and
 * PREFIX:add, which adds a and b of its argument. PREFIX:0 counts, once every PERIOD_MS.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

#include <pvxs/log.h>
#include <pvxs/nt.h>
#include <pvxs/server.h>
#include <pvxs/sharedpv.h>

using namespace pvxs;

static server::SharedPV
double_of(double value)
{
    auto pv = server::SharedPV::buildMailbox();
    auto initial = nt::NTScalar{ TypeCode::Float64 }.create();
    initial["value"] = value;
    pv.open(initial);
    return pv;
}

static server::SharedPV
array_of(size_t length)
{
    auto pv = server::SharedPV::buildMailbox();
    auto initial = nt::NTScalar{ TypeCode::Float64A }.create();
    initial["value"] = shared_array<const double>(shared_array<double>(length, 1.5).freeze());
    pv.open(initial);
    return pv;
}

static server::SharedPV
adder()
{
    auto pv = server::SharedPV::buildReadonly();
    pv.onRPC([](server::SharedPV &, std::unique_ptr<server::ExecOp> &&call, Value &&argument) {
        auto sum = nt::NTScalar{ TypeCode::Float64 }.create();
        if (!argument["query.a"].valid() || !argument["query.b"].valid()) {
            call->error("a or b is missing");
            return;
        }
        sum["value"] = argument["query.a"].as<double>() + argument["query.b"].as<double>();
        call->reply(sum);
    });
    pv.open(nt::NTScalar{ TypeCode::Float64 }.create());
    return pv;
}

int
main(int argc, char **argv)
{
    if (argc < 3) {
        std::cerr << "pva_server PREFIX COUNT [PERIOD_MS [LENGTH]]\n";
        return 2;
    }
    const std::string prefix = argv[1];
    const int count = std::atoi(argv[2]), period_ms = argc > 3 ? std::atoi(argv[3]) : 0;
    logger_config_env();
    auto server = server::Config::fromEnv().build();
    std::vector<server::SharedPV> pvs;
    for (int i = 0; i < count; i++) {
        pvs.push_back(double_of(i));
        server.addPV(prefix + ":" + std::to_string(i), pvs.back());
    }
    server.addPV(prefix + ":array", array_of(argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 30000));
    server.addPV(prefix + ":add", adder());
    if (period_ms > 0)
        std::thread([pv = pvs.at(0), period_ms]() mutable {
            for (double value = 1;; value++) {
                std::this_thread::sleep_for(std::chrono::milliseconds(period_ms));
                auto next = pv.fetch().cloneEmpty();
                next["value"] = value;
                pv.post(next);
            }
        }).detach();
    server.run();
    std::quick_exit(0);
}
