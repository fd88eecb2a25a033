"""Writes tests/unit/pictures.h: small odd PNG and JPEG files and the pixels that Pillow's convert("RGB") gives of them.
Usage: python3 make.py > ../../unit/pictures.h (made with Pillow 9.4.0 of Debian 12)"""
import io, struct, zlib
from PIL import Image, PngImagePlugin

N = 8


def picture(value):
    image = Image.new("RGB", (N, N))
    image.putdata([value(x, y) for y in range(N) for x in range(N)])
    return image


ramp = picture(lambda x, y: (36 * x, 255 - 30 * y, 90))
grey = ramp.getchannel(0)
files = []


def save(name, image, kind="PNG", change=lambda b: b, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    files.append((name, change(out.getvalue())))


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(name, depth, colour, rows, *chunks, interlace=0):
    head = struct.pack(">IIBBBBB", N, N, depth, colour, 0, 0, interlace)
    body = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    files.append((name, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunks) + chunk(b"IDAT", body) + chunk(b"IEND", b"")))


def interlaced(pixels):  # rows of the seven passes
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, N, dy):
            yield b"".join(bytes(pixels[y * N + x]) for x in range(x0, N, dx))


def text(*fields):
    info = PngImagePlugin.PngInfo()
    for field in fields:
        info.add(*field)
    return info


save("plain png", ramp)
for gamma in (100000, 55556, 45455):
    save("gAMA %d" % gamma, ramp, pnginfo=text((b"gAMA", struct.pack(">I", gamma))))
    save("grey, gAMA %d" % gamma, grey, pnginfo=text((b"gAMA", struct.pack(">I", gamma))))
save("cHRM", ramp, pnginfo=text((b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000))))
save("grey", grey)
save("one bit", grey.convert("1"))
png("two bits of grey", 2, 0, [bytes([0b00011011, 0b11100100])] * N)
png("four bits of grey", 4, 0, [bytes([0x01, 0x37, 0xac, 0xef])] * N)
save("palette", ramp.quantize(16))
save("palette, tRNS", ramp.quantize(16), transparency=3)
png("palette of two bits", 2, 3, [bytes([0b00011011, 0b11100100])] * N, chunk(b"PLTE", bytes(range(12))), chunk(b"tRNS", b"\0\x80"))
save("grey and alpha", Image.merge("LA", (grey, ramp.getchannel(1))))
save("colour and alpha", Image.merge("RGBA", (*ramp.split(), grey)))
save("colour, tRNS", ramp, transparency=(0, 255, 90))
save("grey, tRNS", grey, transparency=36)
deep = [b"".join(struct.pack(">3H", 8000 * x + 255, 65535 - 9000 * y, 128) for x in range(N)) for y in range(N)]
png("16 bits of colour", 16, 2, deep)
png("16 bits of colour and alpha", 16, 6, [b"".join(r[i:i + 6] + b"\x12\x34" for i in range(0, len(r), 6)) for r in deep])
png("16 bits of grey", 16, 0, [b"".join(struct.pack(">H", 8000 * x + 255) for x in range(N))] * N)
png("interlaced", 8, 2, list(interlaced(list(ramp.getdata()))), interlace=1)

small = dict(kind="JPEG", quality=60, optimize=True)
save("plain jpeg", ramp, **small)
save("4:4:4", ramp, subsampling=0, **small)
save("grey jpeg", grey, **small)
save("progressive", ramp, progressive=True, **small)
save("CMYK", Image.merge("CMYK", (*ramp.split(), grey.point(lambda v: v // 2))), **small)
cmyk = files[-1][1]
at = cmyk.find(b"\xff\xee")
if at >= 0:
    files.append(("CMYK without marker", cmyk[:at] + cmyk[at + 16:]))
    files.append(("YCCK", cmyk[:at + 15] + b"\2" + cmyk[at + 16:]))
else:
    files.append(("CMYK with marker", cmyk[:2] + b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" + cmyk[2:]))
    files.append(("YCCK", cmyk[:2] + b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\2" + cmyk[2:]))
exif = Image.Exif()
exif[0x0112] = 6
save("EXIF says turned", ramp, exif=exif, **small)
plain = next(content for name, content in files if name == "plain jpeg")
at = plain.index(b"JFIF\0")
files.append(("JFIF 0.00", plain[:at + 5] + b"\0\0" + plain[at + 7:]))
files.append(("JFIF 3.00", plain[:at + 5] + b"\3\0" + plain[at + 7:]))
files.append(("bytes before the end marker", plain[:-2] + b"\0" * 9 + plain[-2:]))
at = plain.index(b"\xff\xdb")
files.append(("bytes before a marker", plain[:at] + b"\1\2\3" + plain[at:]))
files.append(("bytes behind the end", plain + b"\0" * 9))
at = plain.index(b"\xff\xda") + 2
at += plain[at + 1]
files.append(("scan parameters that are not sequential", plain[:at - 3] + b"\0\0\0" + plain[at:]))
for transform in (0, 1, 7):
    files.append(("Adobe %d" % transform, plain[:2] + b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0" + bytes([transform]) + plain[2:]))
at = plain.index(b"\xff\xe0")
files.append(("no JFIF, Adobe 0", plain[:2] + b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" + plain[at + 18:]))


def literal(content):
    lines = [content[i:i + 24] for i in range(0, len(content), 24)]
    return "\n     ".join('"' + "".join("\\x%02x" % b for b in line) + '"' for line in lines)


print("/* Made by tests/golden/pictures/make.py: files of 8 x 8 pixels, and what Pillow's convert(\"RGB\") gives of them. */")
print("static const struct {\n    const char *name, *bytes;\n    size_t count;\n    const char *rgb; /* of each pixel */\n} pictures[] = {")
for name, content in files:
    image = Image.open(io.BytesIO(content))
    if image.mode == "I":  # Pillow makes everything above 255 white; the upper byte, as of colours of 16 bits
        image = Image.frombytes("L", (N, N), bytes(v // 256 for v in image.getdata()))
    image = image.convert("RGB")
    assert image.size == (N, N), name
    print('    {"%s",\n     %s,\n     %d,\n     %s},' % (name, literal(content), len(content), literal(image.tobytes())))
print("};")
