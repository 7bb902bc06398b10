"""tds_client.py ADDRESS PORT LOG: a client of TDS 7.3 by FreeTDS (pymssql), that logs each request as database_client.py does; its answer is read when the call returns.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import contextlib
import json
import random
import sys
import time

import pymssql
from pymssql import _mssql

STATEMENTS = 120
# What pymssql says once it has logged in, literals as the plugin shows them.
SETTINGS = ('SET ARITHABORT ON;SET CONCAT_NULL_YIELDS_NULL ON;SET ANSI_NULLS ON;SET ANSI_NULL_DFLT_ON ON;SET ANSI_PADDING ON;'
            'SET ANSI_WARNINGS ON;SET ANSI_NULL_DFLT_ON ON;SET CURSOR_CLOSE_ON_COMMIT ON;SET QUOTED_I…')


def ports_to(port):
    """The ports from which this network has connections to that one, also closed ones: FreeTDS does not say its own."""
    with open('/proc/net/tcp') as file:
        addresses = [line.split()[1:3] for line in file.readlines()[1:]]
    return {int(ours.partition(':')[2], 16) for ours, theirs in addresses if int(theirs.partition(':')[2], 16) == int(port)}


def main(address, port, log):
    random.seed(17)
    entries, known = [], {}

    def logged(operations, call):
        sent, status = time.time_ns(), ''
        try:
            result = call()
        except (pymssql.Error, _mssql.MSSQLException) as failure:
            cause = failure.args[0]
            status, result = str(cause[0] if isinstance(cause, tuple) else cause), None
        now = time.time_ns()
        known.update({new: len(known) for new in ports_to(port) - set(known)})
        entries.extend({'port': max(known, key=known.get), 'operation': operation, 'sent': sent, 'first': now, 'last': now, 'status': status if operation == operations[-1] else ''}
                       for operation in operations)
        return result

    def connect(user):
        return lambda: _mssql.connect(server=address, port=port, user=user, password='secret', tds_version='7.3', charset='UTF-8')

    def said(connection, text):
        def call():
            connection.execute_query(text)
            return list(connection)
        return call

    def called(connection, name):
        def call():
            procedure = connection.init_procedure(name)
            procedure.bind(5, _mssql.SQLINT4, '@a')
            procedure.execute()
            return list(connection)
        return call
    with contextlib.suppress(StopIteration):
        logged(['prelogin', 'login'], connect('nobody'))
    connection = logged(['prelogin', 'login', SETTINGS], connect('somebody'))
    for _ in range(STATEMENTS):
        n = random.randrange(1000)
        operation, call = random.choice([
            ('SELECT TOP ? * FROM [table 1] WHERE a = ?', said(connection, f"SELECT TOP {n} * FROM [table 1] WHERE a = N'it''s'")),
            ('SELECT TOP ? n FROM t', said(connection, f'SELECT TOP {n % 9} n\n FROM t -- {n}')),
            ('SELECT TOP ? n / ? FROM t', said(connection, f'SELECT TOP {n % 90} n / 0 FROM t')),
            ('SELECT * FROM nowhere', said(connection, 'SELECT * FROM nowhere')),
            ('UPDATE t SET a = ?', said(connection, 'UPDATE t SET a = ' + "'" + 'x' * (n % 200) + "'")),
            ('UPDATE t SET a = ?…', said(connection, 'UPDATE t SET a = ' + "'" + 'x' * (300 + 3 * n) + "'")),
            ('WAITFOR DELAY ?', said(connection, "WAITFOR DELAY '00:00:00.005'")),
            ('EXEC dbo.pay', called(connection, 'dbo.pay')),
            ('EXEC absent', called(connection, 'absent'))])
        logged([operation], call)
        connection.cancel()
    connection.close()
    with open(log, 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in entries) + '\n]\n')


main(*sys.argv[1:])
