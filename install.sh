#!/bin/sh
# Copies a program that is built already to a prefix, with its manual pages and completions.
set -eu

usage() {
    cat << 'TEXT'
usage: ./install.sh [--prefix DIR] [--from FILE] [--uninstall]

  --prefix DIR  where to: DIR/bin, DIR/share/man, DIR/share/bash-completion … [default: ~/.local]
  --from FILE   the program [default: target/release/rye, which `cargo build --release -p rye` makes]
  --uninstall   remove from the prefix what this script puts there
TEXT
}

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
prefix=${HOME:-}/.local
from=$here/target/release/rye
action=install
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) [ $# -gt 1 ] || fail "--prefix needs a folder"; prefix=$2; shift ;;
        --from) [ $# -gt 1 ] || fail "--from needs a file"; from=$2; shift ;;
        --uninstall) action=uninstall ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; fail "nobody knows what $1 means" ;;
    esac
    shift
done
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac

bash=$prefix/share/bash-completion/completions/rye
zsh=$prefix/share/zsh/site-functions/_rye
fish=$prefix/share/fish/vendor_completions.d/rye.fish
man=$prefix/share/man/man1

if [ "$action" = uninstall ]; then
    rm -f "$prefix/bin/rye" "$bash" "$zsh" "$fish" "$man/rye.1" "$man"/rye-*.1
    printf 'removed from %s; keys and items in ~/.ai are untouched\n' "$prefix"
    exit 0
fi

[ -f "$from" ] || fail "there is no program at $from: run \`cargo build --release -p rye\`, or name one with --from"
"$from" --version > /dev/null || fail "$from does not run on this machine"
mkdir -p "$prefix/bin" "$(dirname "$bash")" "$(dirname "$zsh")" "$(dirname "$fish")" "$man"
# A program that runs cannot be written to, and can be replaced.
cp "$from" "$prefix/bin/.rye.new.$$"
chmod 755 "$prefix/bin/.rye.new.$$"
mv -f "$prefix/bin/.rye.new.$$" "$prefix/bin/rye"
rye=$prefix/bin/rye
"$rye" completions bash > "$bash"
"$rye" completions zsh > "$zsh"
"$rye" completions fish > "$fish"
"$rye" man --out "$man" > /dev/null
printf 'installed: %s (%s bytes)\n' "$rye" "$(wc -c < "$rye" | tr -d ' ')"
case :${PATH:-}: in
    *:"$prefix/bin":*) printf 'next: rye doctor\n' ;;
    *) printf 'next: put %s on your PATH, then: rye doctor\n' "$prefix/bin" ;;
esac
