"""Files that are not spreadsheets, known by their first bytes, whatever they are called; and what to do."""

OWN_PAGE = '<meta name="generator" content="campaign">'  # near the top of a report that this package wrote
TOP_OF_PAGE = 4096  # bytes
_TABLE_ITSELF = "Save the table itself as .xlsx or .csv"
_PICTURE = f"is a picture, and a table in it cannot be read. {_TABLE_ITSELF}"
_SOUND = f"is a sound recording. {_TABLE_ITSELF}"
_FILM = f"is a film. {_TABLE_ITSELF}"
_DOCUMENT = f"is a document, not a spreadsheet. {_TABLE_ITSELF}"

LINK = (
    "is a link to a table, not the table. Open the link, download the table as .xlsx or .csv, and read that"
)

# As long as it takes to be the start of no header: "PARE", of encrypted parquet files, begins "PARENT", too.
_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", f"is a PDF. {_TABLE_ITSELF}"),
    (b"\x1f\x8b", "is compressed (gzip). Unpack it first"),
    (b"BZh91AY&SY", "is compressed (bzip2). Unpack it first"),
    (b"\xfd7zXZ", "is compressed (xz). Unpack it first"),
    (b"7z\xbc\xaf", "is a 7z archive. Unpack it first"),
    (b"Rar!", "is a RAR archive. Unpack it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed (zstd). Unpack it first"),
    (b"SQLite format 3", "is a database. Save the table as .csv first"),
    (b"\x00\x01\x00\x00Standard ", "is an Access database. Export the table as .xlsx or .csv"),
    (b"ARROW1", "is a Feather file. Open it with pandas.read_feather and hand over the DataFrame"),
    (b"\x89HDF", "is an HDF5 file. Open it with pandas.read_hdf and hand over the DataFrame"),
    (b"{\\rtf", _DOCUMENT),
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"GIF87a", _PICTURE),
    (b"GIF89a", _PICTURE),
    (b"II*\x00", _PICTURE),
    (b"MM\x00*", _PICTURE),
    (b"<svg", _PICTURE),
    (b"ID3\x02", _SOUND),
    (b"ID3\x03", _SOUND),
    (b"ID3\x04", _SOUND),
    (b"OggS\x00", _SOUND),
    (b"[InternetShortcut]", LINK),
    (b"[Desktop Entry]", LINK),
    (b"L\0\0\0\x01\x14\x02\0", LINK),
    (b"bplist00", LINK),
    (b"BEGIN:VCARD", "holds contact cards (vCard). Open them as contacts, and export those as .csv"),
)
# What follows eight bytes (RIFF) or stands behind the first four (the size of a box).
_RIFF = {b"WEBP": _PICTURE, b"WAVE": _SOUND, b"AVI ": _FILM}
_PICTURE_BRANDS = (b"heic", b"heix", b"mif1", b"msf1", b"avif")
_LEADING = b"\xef\xbb\xbf \t\r\n"  # what programs put in front: a mark, blank lines

_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\x1a\x1b"})
_LOOKED_AT = 4_000  # bytes
_ODD_SHARE = 0.02  # texts in the encodings of the last century have none; random bytes have a tenth


def what_else_it_is(data: bytes) -> str | None:
    """What a file is that is not a spreadsheet, and what to do, to follow its name in a sentence.

    None where the first bytes say nothing of that kind.
    """
    start = data[:64].lstrip(_LEADING)
    for signature, sentence in _STARTS:
        if start.startswith(signature):
            return sentence
    if data.startswith(b"PARE") and data.endswith(b"PARE"):
        return "is an encrypted parquet file. Save it without encryption"
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[8:12])
    if data[4:8] == b"ftyp":
        return _PICTURE if data[8:12] in _PICTURE_BRANDS else _FILM
    if data.startswith(b"BM") and int.from_bytes(data[2:6], "little") == len(data):
        return _PICTURE  # BMP
    return None


def is_binary(data: bytes) -> bool:
    """Whether these are the bytes of no text in any encoding of a byte or two for each letter."""
    start = data[:_LOOKED_AT]
    return len(start) - len(start.translate(None, _CONTROLS)) > _ODD_SHARE * len(start)
