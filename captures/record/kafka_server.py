"""kafka_server.py FILE: librdkafka's mock cluster of one broker; FILE gets its port, on the loopback address.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import pathlib
import sys
import time

import confluent_kafka

owner = confluent_kafka.Producer({'test.mock.num.brokers': 1, 'bootstrap.servers': 'ignored'})
for topic in ('first', 'second.topic'):
    owner.produce(topic, b'made')
owner.flush()
broker = next(iter(owner.list_topics().brokers.values()))
pathlib.Path(sys.argv[1]).write_text(f'{broker.host} {broker.port}\n')
time.sleep(3600)
