//! Programs that search, and the small languages that filter text.

use super::row::{Check, Depth, Row, free, listed};
use crate::types::Sight;

pub(super) const ROWS: &[Row] = &[
    free(
        "grep|egrep|fgrep|zgrep|zegrep|zfgrep|bzgrep|xzgrep",
        "tp*",
        "-e=! -f=@! --regexp=! --file=@! -A= -B= -C= -m= -d= -D= --include= --exclude= \
         --exclude-dir= --exclude-from=@ --max-count= --after-context= --before-context= \
         --context= --label= --binary-files= --devices= --directories= --group-separator= \
         -R^ --dereference-recursive^",
    )
    .depth(Depth::Flags(
        "-r -R --recursive --dereference-recursive -d=recurse --directories=recurse",
    ))
    .names("--include"),
    // Not here: `--pager` runs a program.
    listed(
        "ag",
        "tp*",
        "-A= -B= -C= -a -c -f^ -F -g! -G= -H -h -i -l -L -m= -n -o -p=@ -Q -r -R -s -S -t -u -U -v -w \
         --after= --before= --context? --count --all-types --all-text --ackmate --color \
         --nocolor --column --depth= --files-with-matches --files-without-matches --fixed-strings \
         --follow^ --group --nogroup --heading --noheading --filename --nofilename --hidden \
         --ignore= --ignore-case --ignore-dir= --invert-match --literal --numbers --nonumbers \
         --only-matching --path-to-ignore=@ --smart-case --stats --unrestricted --vimgrep \
         --word-regexp --silent --null",
    )
    .depth(Depth::Visible("--hidden -a -u -t --all-types --all-text --unrestricted")),
    // Not here: `--pre` and `--hostname-bin` run programs, `-z` decompressors.
    listed(
        "rg",
        "tp*",
        "-e=! -f=@! --regexp=! --file=@! --files! --type-list! --pcre2-version! -A= -B= -C= \
         -E= -M= -m= -d= -g= -j= -r= -t= -T= -a -b -c -F -h -H -i -I -l -L^ -n -N -o -p -P -q \
         -s -S -u -U -v -V -w -x -0 -. --after-context= --before-context= --context= \
         --context-separator= --encoding= --engine= --glob= --iglob= --max-columns= \
         --max-count= --max-depth= --maxdepth= --max-filesize= --threads= --replace= --type= \
         --type-not= --type-add= --type-clear= --sort= --sortr= --path-separator= --color= \
         --colors= --dfa-size-limit= --regex-size-limit= --ignore-file=@ \
         --field-context-separator= --field-match-separator= --generate= --hyperlink-format= \
         --text --byte-offset --count --count-matches --fixed-strings --files-with-matches \
         --files-without-match --with-filename --no-filename --heading --no-heading --hidden \
         --no-hidden --ignore-case --ignore-file-case-insensitive --include-zero \
         --invert-match --json --line-buffered --line-number --no-line-number --line-regexp \
         --max-columns-preview --mmap --no-mmap --multiline --multiline-dotall --no-config \
         --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files \
         --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs \
         --no-messages --no-unicode --null --null-data --one-file-system --only-matching \
         --passthru --passthrough --pcre2 --pretty --quiet --smart-case --stats --follow^ \
         --no-follow --trim --unrestricted --vimgrep --word-regexp --case-sensitive --column \
         --no-column --crlf --debug --trace --auto-hybrid-regex --block-buffered --binary \
         --no-require-git --glob-case-insensitive --stop-on-nonmatch",
    )
    .digits()
    .depth(Depth::Visible("-. --hidden"))
    .names("-g --glob --iglob"),
    // Not here: `-x`, `-X` and their long forms run programs; `-l` runs ls.
    listed(
        "fd|fdfind",
        "tp*",
        "-H -I -u -s -i -g -F -a -L^ -p -0 -1 -q -d= -t= -e= -E= -c= -j= -S= -o= --hidden \
         --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex \
         --fixed-strings --absolute-path --follow^ --full-path --print0 --max-depth= \
         --min-depth= --exact-depth= --type= --extension= --exclude= --size= \
         --changed-within= --changed-before= --newer= --older= --owner= --color= --threads= \
         --max-results= --base-directory=@ --search-path=@! --strip-cwd-prefix \
         --one-file-system --prune --no-ignore-vcs --no-ignore-parent --quiet --show-errors",
    ).tells(Sight::Names),
    // Not here: -exec, -execdir, -ok, -okdir, -delete, -fprint, -fprint0, -fprintf, -fls.
    listed(
        "find|gfind",
        "p*",
        "-H -L^ -P -O1 -O2 -O3 -name= -iname= -path= -ipath= -wholename= -iwholename= -lname= \
         -ilname= -regex= -iregex= -regextype= -type= -xtype= -size= -mtime= -atime= -ctime= \
         -mmin= -amin= -cmin= -newer=@ -anewer=@ -cnewer=@ -newermt= -newerat= -newerct= \
         -newerBt= -newermm=@ -neweram=@ -newerac=@ -newercm=@ -newerca=@ -newercc=@ -neweraa=@ -newerma=@ -newermc=@ -newermB=@ -samefile=@ -perm= -user= -group= -uid= -gid= -nouser -nogroup \
         -links= -inum= -used= -empty -readable -writable -executable -true -false \
         -maxdepth= -mindepth= -depth -d -mount -xdev -daystart -follow^ -noleaf \
         -ignore_readdir_race -noignore_readdir_race -fstype= -print -print0 -printf= -ls \
         -prune -quit -a -and -o -or -not -warn -nowarn -files0-from=@^ -context=",
    ).tells(Sight::Names)
    .long(),
    // Not here: `-i` writes, `-f` reads a script that is not seen.
    listed(
        "sed|gsed",
        "tp*",
        "-n -E -r -s -u -z -e=! -l= --quiet --silent --regexp-extended --separate \
         --unbuffered --null-data --expression=! --line-length= --posix --debug --sandbox",
    )
    .check(Check::Sed),
    listed(
        "awk|gawk|mawk|nawk",
        "tp*",
        "-F= -v= --field-separator= --assign= --re-interval --posix --traditional --sandbox \
         --csv",
    )
    .check(Check::Awk),
    // Not here: `-f` and `-L` read programs that are not seen.
    listed(
        "jq|gojq|jaq",
        "tp*",
        "-r -c -n -s -S -e -M -C -j -a -R --raw-output --raw-output0 --raw-input \
         --compact-output --null-input --slurp --sort-keys --exit-status --monochrome-output \
         --color-output --join-output --ascii-output --tab --indent= --stream \
         --stream-errors --seq --unbuffered --arg=2 --argjson=2 --slurpfile=2@ --rawfile=2@ \
         --args --jsonargs -h -V --version --help",
    )
    .check(Check::Jq),
    // Not here: `-i` writes, `-s` splits into files.
    listed(
        "yq",
        "tp*",
        "-r -o= -p= -e -P -C -M -j -y -n -N -c --output-format= --input-format= \
         --exit-status --prettyPrint --colors --no-colors --tojson --null-input --no-doc \
         --unwrapScalar? --raw-output -I= --indent= --no-colors --null-separator -0 -V",
    )
    .check(Check::Yq),
];
