#!/bin/sh
# Makes the two font files of this folder. README.md says when and why.
#
# Needs npm and python3; works in a temporary folder and leaves nothing behind.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

npm pack --silent inter-ui@4.1.1 @fontsource-variable/jetbrains-mono@5.3.0 >/dev/null
for archive in *.tgz; do
    mkdir "${archive%.tgz}" && tar -xzf "$archive" -C "${archive%.tgz}" --strip-components 1
done
python3 -m venv venv
venv/bin/pip install --quiet fonttools==4.60.1 brotli==1.1.0

# ASCII and Latin-1; dashes, quotes, ellipsis; thin and narrow spaces; arrows; minus, relations; ticks, circles.
text='U+20-7E,U+A0-FF,U+2009,U+2013,U+2014,U+2018-201D,U+2022,U+2026,U+202F,U+2039,U+203A'
text="$text,U+2190-2193,U+21B5,U+21E7,U+2212,U+2248,U+2260,U+2264,U+2265,U+2318,U+25CB,U+25CF,U+2713,U+2717"
code='U+20-7E,U+A0,U+AB,U+B7,U+BB,U+D7,U+2013,U+2014,U+2022,U+2026,U+2039,U+203A,U+2212'

# In Inter, tabular figures come with tabular punctuation, which sets "on-stack" with gaps: figures alone are wanted.
# Its narrow space is so narrow that 1 152 reads as 1152: it gets half as much again.
cat > figures.py <<'PY'
import sys
from fontTools.ttLib import TTFont

font = TTFont(sys.argv[1])
figures = {font.getBestCmap()[ord(c)] for c in "0123456789"}
for lookup in font["GSUB"].table.LookupList.Lookup:
    for table in lookup.SubTable:
        table = getattr(table, "ExtSubTable", table)
        if hasattr(table, "mapping"):
            table.mapping = {a: b for a, b in table.mapping.items() if a in figures}
space = font.getBestCmap()[0x202F]
width, side = font["hmtx"][space]
font["hmtx"][space] = (width * 3 // 2, side)
font.flavor = "woff2"
font.save(sys.argv[1])
PY

subset() { # source, axes, characters, features, target
    venv/bin/fonttools varLib.instancer "$1" $2 --output axes.ttf --quiet
    venv/bin/pyftsubset axes.ttf --unicodes="$3" --layout-features="$4" \
        --flavor=woff2 --no-hinting --desubroutinize --name-IDs='0,1,2,3,4,5,6,13,14' --output-file="$here/$5"
}

subset inter-ui-*/variable/InterVariable.woff2 'opsz=14 wght=400:700' "$text" 'kern,tnum' inter.woff2
subset fontsource-*/files/jetbrains-mono-latin-wght-normal.woff2 'wght=400:600' "$code" '' jetbrains-mono.woff2
venv/bin/python figures.py "$here/inter.woff2"
