#!/bin/sh
# Installs the newest release of Margay, or the one that VERSION names (`v0.2.0`), into ~/.local/bin or the folder that TO names:
#
#   curl -sSfL https://github.com/margay/margay/releases/latest/download/install.sh | sh
#
# It downloads one archive, compares its SHA-256, and copies one program. FROM names another place for archives: another repository, a mirror, a folder.
set -eu
to=${TO:-$HOME/.local/bin}
if [ -n "${VERSION:-}" ]; then
    from=${FROM:-https://github.com/margay/margay/releases/download/$VERSION}
else
    from=${FROM:-https://github.com/margay/margay/releases/latest/download}
fi
case "$(uname -s) $(uname -m)" in
    "Linux x86_64") target=x86_64-unknown-linux-musl ;;
    "Linux aarch64") target=aarch64-unknown-linux-musl ;;
    "Darwin arm64") target=aarch64-apple-darwin ;;
    "Darwin x86_64") target=x86_64-apple-darwin ;;
    *) echo "there is no archive for $(uname -s) on $(uname -m): build Margay from its source (cargo install --path .)" >&2; exit 1 ;;
esac
archive=margay-$target.tar.gz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch() {
    case $from in
        http*) curl -sSfL --retry 3 -o "$work/$1" "$from/$1" ;;
        *) cp "$from/$1" "$work/$1" ;;
    esac
}
fetch "$archive"
fetch "$archive.sha256"
expected=$(cut -d ' ' -f 1 "$work/$archive.sha256")
if command -v sha256sum >/dev/null; then
    actual=$(sha256sum "$work/$archive" | cut -d ' ' -f 1)
else
    actual=$(shasum -a 256 "$work/$archive" | cut -d ' ' -f 1)
fi
if [ "$expected" != "$actual" ]; then
    echo "$archive is not what was released: SHA-256 $actual, expected $expected. Nothing was installed." >&2
    exit 1
fi
tar -xzf "$work/$archive" -C "$work"
mkdir -p "$to"
cp "$work"/margay-*/margay "$to/margay.new"
chmod 755 "$to/margay.new"
mv "$to/margay.new" "$to/margay"
"$to/margay" --version
case ":$PATH:" in
    *":$to:"*) ;;
    *) echo "add $to to your PATH, or start $to/margay" ;;
esac
