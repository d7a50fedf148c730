"""Which addresses a service may have, and their one normal form."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import SplitResult, urlsplit

from campaign.environments import Environment
from campaign.errors import AccountError
from campaign.service.wire import PATH

_UNREADABLE = "The address of the service cannot be read. Write it like https://sms.example.com."
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
# 127.1, 0177.0.0.1, 0x7f000001 and 2130706433 are all 127.0.0.1 to the system's resolver.
_ODD_IPV4 = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def read_address(environment: Environment, url: str) -> tuple[str, str]:
    """The address in plain ASCII with one slash at its end, and what is wrong with it ("" if nothing is).

    What is checked is what is returned: host names are lower-case IDNA, IP addresses in their usual form, so
    that no other program can read a different host in it. User info is never repeated, and no exception
    passes through frames that contain it.
    """
    try:
        return _base_address(environment, url), ""
    except AccountError as error:
        return "", str(error)


def _base_address(environment: Environment, url: str) -> str:
    if not isinstance(url, str) or not url.strip().isprintable() or re.search(r"[\s\\]", url.strip()):
        raise AccountError(_UNREADABLE)
    try:
        address = urlsplit(url.strip())
        port = address.port
    except ValueError:
        raise AccountError(_UNREADABLE) from None
    _check_parts(address, url)
    host = plain_host(address.hostname or "")
    _check_place(environment, address.scheme, host)
    place = host if port in (None, _DEFAULT_PORTS[address.scheme]) else f"{host}:{port}"
    path = address.path.strip("/").removesuffix(PATH.strip("/")).strip("/")
    return f"{address.scheme}://{place}/" + (f"{path}/" if path else "")


def _check_parts(address: SplitResult, url: str) -> None:
    if address.username is not None or address.password is not None:
        raise AccountError(
            "Leave user name and password out of the address; give them as username and password."
        )
    if address.scheme not in _DEFAULT_PORTS or not address.hostname:
        raise AccountError("The address of the service needs http:// or https:// and a host name.")
    if "?" in url or "#" in url:
        raise AccountError("The address of the service cannot contain ? or #. Give the base address only.")


def _check_place(environment: Environment, scheme: str, host: str) -> None:
    if environment == "live" and scheme != "https":
        raise AccountError("Live sending is https only. Give the live address with https:// in front.")
    if environment == "live" and _is_this_machine(host):
        raise AccountError(f"{host} is this machine: it can never be live. Use environment='local'.")
    if environment == "local" and host == "localhost" and not _localhost_is_this_machine():
        raise AccountError(
            "This system does not resolve localhost to this machine alone. Give 127.0.0.1 instead."
        )
    if environment == "local" and not (host == "localhost" or _is_loopback(host)):
        raise AccountError(
            f"{host} is not this machine. Local addresses are 127.0.0.1, [::1] and localhost; for another "
            "machine use environment='sandbox' or 'live'."
        )


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
        raise AccountError(f"{host!r} is not a host name. Write the address like https://sms.example.com.")
    return name


def _ip_address(text: str) -> str:
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        raise AccountError(f"{text} is not an IP address in its usual form, like 192.0.2.10.") from None
    if ip.is_unspecified or (isinstance(ip, ipaddress.IPv6Address) and ip.scope_id):
        raise AccountError(f"{text} is not the address of one machine.")
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(mapped or ip)  # ::ffff:192.0.2.10 is 192.0.2.10


def _idna(host: str) -> str:
    import idna  # some 10 ms, for the few hosts that are not plain ASCII

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise AccountError(f"{host!r} is not a host name that can be looked up.") from None
