"""Which addresses a service may have, and their one normal form."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import SplitResult, urlsplit

from campaign.environments import Environment
from campaign.errors import AccountError
from campaign.service.wire import PATH
from campaign.words.finding import Finding

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
# 127.1, 0177.0.0.1, 0x7f000001 and 2130706433 are all 127.0.0.1 to the system's resolver.
_ODD_IPV4 = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def read_address(environment: Environment, url: str) -> tuple[str, Finding | None]:
    """The address in plain ASCII with one slash at its end, and what is wrong with it, if anything is.

    What is checked is what is returned: host names are lower-case IDNA, IP addresses in their usual form, so
    that no other program can read a different host in it. User info is never repeated, and no exception
    passes through frames that contain it.
    """
    try:
        return _base_address(environment, url), None
    except AccountError as error:
        return "", error.finding


def _base_address(environment: Environment, url: str) -> str:
    if not isinstance(url, str) or not url.strip().isprintable() or re.search(r"[\s\\]", url.strip()):
        raise address_unusable("")
    try:
        address = urlsplit(url.strip())
        port = address.port
    except ValueError:
        raise address_unusable("") from None
    _check_parts(address, url)
    host = plain_host(address.hostname or "")
    _check_place(environment, address.scheme, host)
    place = host if port in (None, _DEFAULT_PORTS[address.scheme]) else f"{host}:{port}"
    path = address.path.strip("/").removesuffix(PATH.strip("/")).strip("/")
    return f"{address.scheme}://{place}/" + (f"{path}/" if path else "")


def _check_parts(address: SplitResult, url: str) -> None:
    if address.username is not None or address.password is not None:
        raise address_unusable("it has a password")
    if address.scheme not in _DEFAULT_PORTS or not address.hostname:
        raise address_unusable("no http:// or no host")
    if "?" in url or "#" in url:
        raise address_unusable("it has ? or #")


def _check_place(environment: Environment, scheme: str, host: str) -> None:
    if environment == "live" and scheme != "https":
        raise address_unusable("live needs https")
    if environment == "live" and _is_this_machine(host):
        raise AccountError("live_on_this_machine", host=host)
    is_local = _localhost_is_this_machine() if host == "localhost" else _is_loopback(host)
    if environment == "local" and not is_local:
        raise AccountError("local_elsewhere", host=host)


def address_unusable(problem: str) -> AccountError:
    """The error for an address that is none, which repeats nothing of it."""
    return AccountError("address_unusable", of="service", problem=problem, example="https://sms.example.com")


def _is_this_machine(host: str) -> bool:
    """Whether a host, as `plain_host` writes it, is or may be this machine, which is never live."""
    return host in ("localhost", "localhost.localdomain") or host.endswith(".localhost") or _is_loopback(host)


def _is_loopback(host: str) -> bool:
    """Whether this is an address of 127.0.0.0/8, or ::1."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _localhost_is_this_machine() -> bool:
    """Whether localhost is only a loopback address to the system: a hosts file can say otherwise."""
    try:
        addresses = socket.getaddrinfo("localhost", None)
    except OSError:
        return False
    return all(_is_loopback(str(address[0])) for *_, address in addresses)


def plain_host(host: str) -> str:
    """A host name as lower-case ASCII, an IP address in its usual form."""
    if ":" in host:
        address = _ip_address(host)
        return f"[{address}]" if ":" in address else address
    name = (host if host.isascii() else _idna(host)).lower().removesuffix(".")
    if _ODD_IPV4.fullmatch(name):
        return _ip_address(name)
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise address_unusable(f"host {host!r}")
    return name


def _ip_address(text: str) -> str:
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        raise address_unusable(f"IP address {text}") from None
    if ip.is_unspecified or (isinstance(ip, ipaddress.IPv6Address) and ip.scope_id):
        raise address_unusable(f"IP address {text}")
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(mapped or ip)  # ::ffff:192.0.2.10 is 192.0.2.10


def _idna(host: str) -> str:
    import idna  # some 10 ms, for the few hosts that are not plain ASCII

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise address_unusable(f"host {host!r}") from None
