"""tls_client.py ADDRESS LOG FOLDER: handshakes of TLS in every kind, one connection each, with OpenSSL by Python.
FOLDER has its certificate.

LOG gets the truth as JSON, of each connection: its client's port, what it asked for (host, ALPN), when connect() and the handshake
began and ended (ns since 1970, by the clock of the capture), the version, whether a session was resumed, and how it failed.
Ports: 4433 any version; 4434 a group that the client does not offer at first; 4435 TLS 1.3 only; 4436 wants a certificate; 4437 STARTTLS.

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import socket
import ssl
import sys
import time

address, log, folder = sys.argv[1:4]
VERSIONS = {'1.2': ssl.TLSVersion.TLSv1_2, '1.3': ssl.TLSVersion.TLSv1_3}
rows = []


def context_of(version, alpn, trusts, certificate, ciphers):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED if not trusts else ssl.CERT_NONE
    if version:
        context.minimum_version = context.maximum_version = VERSIONS[version]
    if alpn:
        context.set_alpn_protocols(alpn)
    if certificate:
        context.load_cert_chain(f'{folder}/certificate.pem', f'{folder}/key.pem')
    if ciphers:
        context.set_ciphers(ciphers)
    return context


def start_tls(connection):
    assert connection.recv(1000).startswith(b'220')
    connection.sendall(b'STARTTLS\r\n')
    assert connection.recv(1000).startswith(b'220')


def talk(name, port, host=None, version=None, alpn=(), trusts=True, certificate=False, ciphers=None, session=None, context=None, ask=True, starttls=False):
    """One connection; returns its session and the context, for the next one to resume it."""
    context = context or context_of(version, list(alpn), trusts, certificate, ciphers)
    row = {'name': name, 'host': host, 'alpn': list(alpn), 'first': not starttls}
    row['connect_time'] = time.time_ns()
    connection = socket.create_connection((address, port))
    row['connected_time'] = time.time_ns()
    row['port'] = connection.getsockname()[1]
    if starttls:
        start_tls(connection)
    secure = context.wrap_socket(connection, server_hostname=host, do_handshake_on_connect=False, session=session)
    row['hello_time'] = time.time_ns()
    found = None
    try:
        secure.do_handshake()
        row['end_time'] = time.time_ns()
        row.update(version=secure.version(), resumed=secure.session_reused, chosen=secure.selected_alpn_protocol())
        if ask:
            secure.sendall(b'GET / HTTP/1.0\r\n\r\n')
            row['asked_time'] = time.time_ns()
            row['answered'] = bool(secure.recv(1))
            row['answered_time'] = time.time_ns()
            while secure.recv(65536):
                pass
        found = secure.session
    except (ssl.SSLError, OSError) as error:
        row['error'] = getattr(error, 'reason', None) or str(error)
    secure.close()
    rows.append(row)
    time.sleep(0.02)
    return found, context


for version in ('1.2', '1.3'):
    session, context = talk(f'{version}', 4433, 'plain.example', version, ['h2', 'http/1.1'])
    talk(f'{version} resumed', 4433, 'plain.example', version, ['h2', 'http/1.1'], session=session, context=context)
    talk(f'{version} without SNI', 4433, None, version)
    talk(f'{version} client certificate', 4436, 'certificate.example', version, certificate=True)
    talk(f'{version} not trusted', 4433, 'untrusted.example', version, trusts=False)
    talk(f'{version} starttls', 4437, 'mail.example', version, starttls=True)
talk('1.3 retried', 4434, 'retried.example', '1.3')
talk('1.3 long hello', 4433, 'a.' * 90 + 'long.example', '1.3', [f'protocol-{i}-{"x" * 200}' for i in range(9)])
talk('1.3 wanted, 1.2 offered', 4435, 'version.example', '1.2')
talk('1.2 no cipher', 4433, 'cipher.example', '1.2', ciphers='ECDHE-ECDSA-AES128-SHA256')
talk('1.3 without the certificate', 4436, 'certificate.example', '1.3')
with socket.create_connection((address, 4433)) as silent:
    rows.append({'name': 'silent', 'port': silent.getsockname()[1], 'host': None})
    time.sleep(0.05)
with open(log, 'w', encoding='ascii') as file:
    json.dump(rows, file, indent=1)
