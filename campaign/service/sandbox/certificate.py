"""A TLS certificate for this machine, made on the spot."""

from __future__ import annotations

import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_PEM = serialization.Encoding.PEM
LIFETIME = timedelta(days=30)  # a sandbox in a notebook may stay open for weeks
NAMES = [
    x509.DNSName("localhost"),
    x509.IPAddress(ip_address("127.0.0.1")),
    x509.IPAddress(ip_address("::1")),
]


def certify_this_machine() -> tuple[bytes, bytes]:
    """A server's key and certificate for 127.0.0.1, ::1 and localhost, and the authority to trust (both PEM).

    The authority signs only this certificate, and its key is thrown away: trusting it means trusting nothing
    else. The two certificates are separate, because several TLS libraries refuse an authority as a server.
    """
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _certificate("campaign embedded sandbox: authority", authority_key, authority_key)
    certificate = _certificate("campaign embedded sandbox", key, authority_key, authority)
    unencrypted = serialization.NoEncryption()
    private = key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, unencrypted)
    return private + certificate.public_bytes(_PEM), authority.public_bytes(_PEM)


def server_context(key_and_certificate: bytes) -> ssl.SSLContext:
    """The TLS context of a server with that key and certificate (PEM).

    Python reads them from files only: this one exists for a moment, in a folder that only this user can read.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        file = Path(folder) / "sandbox.pem"
        file.touch(mode=0o600)
        file.write_bytes(key_and_certificate)
        context.load_cert_chain(file)
    return context


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    signing_key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate | None = None,
) -> x509.Certificate:
    """A certificate with the extensions that RFC 5280 asks for: Python 3.13 checks them strictly."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority.subject if authority else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=not authority, path_length=None), critical=True)
        .add_extension(_usage(is_authority=not authority), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if authority:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key())
        server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        names = x509.SubjectAlternativeName(NAMES)
        for extension in (identifier, server, names):
            builder = builder.add_extension(extension, critical=False)
    return builder.sign(signing_key, hashes.SHA256())


def _usage(*, is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority, key_cert_sign=is_authority, crl_sign=False,
        content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
