//! Programs that read files and text: coreutils and their kin.

use super::row::{Check, Depth, Row, free, listed};
use crate::types::Sight;

pub(super) const ROWS: &[Row] = &[
    free("cat", "p*", ""),
    // Under these names they unpack to the output, but take all options of the packers:
    // `zstdcat a -o b` and `--output-dir-flat`, `--trace=` write.
    listed(
        "zcat|gzcat|bzcat|xzcat|zstdcat",
        "p*",
        "-f -q -v -h -V --force --quiet --verbose --help --version",
    ),
    // A second operand of lz4cat is its output.
    listed("lz4cat", "p", "-q -v -h -V --help --version"),
    free("tac", "p*", "-s= --separator="),
    free("rev", "p*", ""),
    free("nl", "p*", "-b= -d= -f= -h= -i= -l= -n= -s= -v= -w="),
    free("head", "p*", "-n= -c= --lines= --bytes="),
    free(
        "tail",
        "p*",
        "-n= -c= -s= --lines= --bytes= --pid= --sleep-interval= --max-unchanged-stats=",
    ),
    free("wc", "p*", "--files0-from=@^ --total="),
    free(
        "ls|dir|vdir",
        "p*",
        "-I= -w= -T= --block-size= --ignore= --hide= --width= --tabsize= --sort= --time= \
         --time-style= --format= --quoting-style= --indicator-style=",
    ).tells(Sight::Names),
    free(
        "eza|exa|lsd",
        "p*",
        "-I= -L= -s= -t= --level= --sort= --ignore-glob= --time= --time-style=",
    ).tells(Sight::Names),
    free("stat", "p*", "-c= --format= --printf=").tells(Sight::Existence),
    free(
        "du",
        "p*",
        "-L^ --dereference^ -B= -d= -t= -X=@ --block-size= --max-depth= --threshold= --exclude= \
         --exclude-from=@ --files0-from=@^ --time-style=",
    ).tells(Sight::Existence),
    free(
        "df",
        "p*",
        "-B= -t= -x= --block-size= --type= --exclude-type=",
    ).tells(Sight::Existence),
    free(
        "cut",
        "p*",
        "-b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --output-delimiter=",
    ),
    free("tr", "t*", ""),
    free("paste", "p*", "-d= --delimiters="),
    free("join", "p*", "-a= -e= -j= -o= -t= -v= -1= -2="),
    free("comm", "p*", "--output-delimiter="),
    free("cmp", "ppt*", "-i= -n= --bytes= --ignore-initial="),
    free(
        "diff|colordiff",
        "p*",
        "-C= -U= -I= -x= -X=@ -S= -F= -W= -L= --label= --exclude= --exclude-from=@ \
         --starting-file= --ignore-matching-lines= --show-function-line= --width= \
         --from-file=@ --to-file=@ --horizon-lines= --line-format= --old-line-format= \
         --new-line-format= --unchanged-line-format= --tabsize=",
    )
    .depth(Depth::Flags("-r --recursive")),
    free(
        "md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|b3sum|sum|md5|shasum",
        "p*",
        "-a= -l= --algorithm= --length=",
    ),
    free("cksum", "p*", "-a= -l= --algorithm= --length="),
    // Where it has `-o`, it writes.
    free(
        "base64|base32|basenc",
        "p*",
        "-w= --wrap= -i=@ --input=@ -o=> --output=>",
    ),
    free(
        "od",
        "p*",
        "-A= -j= -N= -S= -t= --address-radix= --skip-bytes= --read-bytes= --format=",
    ),
    free("hexdump|hd", "p*", "-e= -f=@ -n= -s="),
    free("hexyl", "p*", "-n= -s= -c= -l="),
    listed(
        "xxd",
        "p",
        "-a -b -c= -C -d -e -E -g= -i -l= -n= -o= -p -ps -plain -s= -u",
    ),
    free(
        "strings",
        "p*",
        "-n= -t= -e= -T= --bytes= --radix= --encoding=",
    )
    .response_files(),
    // Filters of their input alone.
    listed("col", "", "-b -f -h -p -x -l= --no-backspaces --fine --spaces --tabs"),
    listed("colrm", "t*", ""),
    listed("ul", "p*", "-i -t= -T= --indicated --terminal="),
    // A pager shows; `-o` and `-O` write a log, `-k` reads keys, and a command after `+` may run
    // (`+!touch x`, `+v`). What a person types into it is the person's.
    listed(
        "less",
        "p*",
        "-a -A -c -C -d -e -E -f -F -g -G -i -I -J -K -m -M -n -N -q -Q -r -R -s -S -u -U -w -W -X \
         -~ -b= -h= -j= -p= -x= -y= -z= --chop-long-lines --ignore-case --IGNORE-CASE \
         --line-numbers --LINE-NUMBERS --no-init --quit-at-eof --quit-if-one-screen --raw-control-chars \
         --RAW-CONTROL-CHARS --squeeze-blank-lines --quiet --silent --pattern= --tabs=",
    )
    .check(Check::Pager),
    listed(
        "more",
        "p*",
        "-d -f -l -p -c -s -u -e -n= --silent --logical --no-pause --print-over --clean-print \
         --squeeze --plain --lines=",
    )
    .digits()
    .check(Check::Pager),
    free("fold", "p*", "-w= --width="),
    free("fmt", "p*", "-w= -p= -g= --width= --prefix= --goal="),
    free("expand|unexpand", "p*", "-t= --tabs="),
    free(
        "column",
        "p*",
        "-s= -o= -c= -N= -R= -T= -H= --separator= --output-separator= --table-columns=",
    ),
    free("tsort|pathchk", "p*", ""),
    free(
        "pr",
        "p*",
        "-D= -h= -l= -N= -o= -s? -S? -w= -W= --date-format= --header= --length= \
         --first-line-number= --indent= --separator? --sep-string? --width= --page-width=",
    ),
    // A second operand is its output in the traditional form.
    listed(
        "ptx",
        "p",
        "-f -A -w= -g= --ignore-case --auto-reference --width=",
    ),
    listed(
        "dircolors",
        "p",
        "-b -c -p --sh --csh --print-database --print-ls-colors",
    ),
    free("look", "tp", "-t="),
    listed("gofmt", "p*", "-l -d -s -e").long(),
    listed(
        "rustfmt",
        "p*",
        "--check --edition= --color= -q -v --quiet --verbose --config-path=@ --style-edition=",
    )
    .check(Check::NeedsFlag("--check")),
    free(
        "shellcheck",
        "p*",
        "-x^ --external-sources^ -C? -i= -e= -f= -o= -P=@ -s= -S= -W= --include= --exclude= --format= --enable= \
         --source-path=@ --shell= --severity= --wiki-link-count= --rcfile=@",
    ),
    free(
        "numfmt",
        "t*",
        "-d= --from= --to= --field= --format= --padding= --suffix= --delimiter=",
    ),
    free("realpath", "p*", "--relative-to=@ --relative-base=@").tells(Sight::Existence),
    free("readlink", "p*", "").tells(Sight::Existence),
    // They only cut text.
    free("basename", "t*", "-s= --suffix="),
    free("dirname", "t*", ""),
    // `@file` is replaced by the options in it.
    free(
        "readelf",
        "p*",
        "-x= -p= -R= -w? --hex-dump= --string-dump= --debug-dump?",
    )
    .response_files(),
    free("addr2line", "p*", "-e=@ -b= -j= --exe=@").response_files(),
    free("c++filt", "t*", "-s= --format=").response_files(),
    // `--plugin` loads a library.
    listed("size", "p*", "-A -B -d -o -x -t -G").response_files(),
    listed(
        "nm",
        "p*",
        "-a -A -B -C -D -g -n -o -p -P -r -S -u --demangle --dynamic --extern-only \
         --undefined-only --defined-only --numeric-sort --print-size",
    )
    .response_files(),
    listed(
        "objdump",
        "p*",
        "-a -d -D -f -g -h -p -r -R -s -S -t -T -x -C -w -l -j= -M= -b= -m= --disassemble \
         --disassemble-all --all-headers --source --syms --dynamic-syms --section-headers \
         --full-contents --demangle --section= --start-address= --stop-address= \
         --disassembler-options=",
    )
    .response_files(),
    free("tokei", "p*", "-e= -t= -s= -o= --exclude= --type= --sort="),
    // Not here: `--vcs`, whose value is a command, and all that names a report.
    listed(
        "cloc",
        "p*",
        "--by-file --quiet --include-lang= --exclude-lang= --exclude-dir= --json --csv \
         --yaml --md",
    ),
    listed(
        "sort",
        "p*",
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= -S= \
         --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort \
         --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort \
         --reverse --sort= --version-sort --check? --merge --stable --unique \
         --zero-terminated --key= --field-separator= --buffer-size= --parallel= \
         --batch-size= --files0-from=@^ --random-source=@ --debug",
    ),
    // A second operand of uniq is its output.
    listed(
        "uniq",
        "p",
        "-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --group? \
         --skip-fields= --ignore-case --skip-chars= --unique --check-chars= --zero-terminated",
    ),
    listed(
        "shuf",
        "g*",
        "-n= -e -i= -r -z --head-count= --echo --input-range= --repeat --zero-terminated \
         --random-source=@",
    ),
    listed(
        "file",
        "p*",
        "-b -i -I -L -h -k -s -m=@ -F= -f=@^ -e= -P= -N -n -p -r -0 -E -l -v --brief --mime \
         --mime-type --mime-encoding --extension --dereference --no-dereference --keep-going \
         --magic-file=@ --separator= --files-from=@^ --exclude= --parameter= --no-pad \
         --no-buffer --preserve-date --raw --print0 --list --special-files",
    ),
    // `-o` writes, `-R` writes an index into each directory.
    listed(
        "tree",
        "p*",
        "-a -d -f -i -l^ -x -L= -P= -I= -p -s -h -u -g -D -F -q -N -Q -r -t -c -U -v -C -n -A \
         -S -J -X --noreport --dirsfirst --filesfirst --gitignore --prune --filelimit= \
         --charset= --du --si --matchdirs --ignore-case --inodes --device --sort? --timefmt= \
         --fromfile --gitfile=@ --infofile=@ --info --metafirst --nolinks --hintro=@ \
         --houtro=@",
    ).tells(Sight::Names)
    .digits(),
    listed(
        "iconv",
        "p*",
        "-f= -t= -l -c -s --from-code= --to-code= --list --silent",
    ),
    listed(
        "gzip|gunzip|bzip2|xz|zstd",
        "p*",
        "-c -d -k -l -t -v -q --stdout --decompress --list --test --verbose",
    )
    .check(Check::NeedsFlag("-c -l -t --stdout --list --test")),
    listed(
        "tar|bsdtar",
        "p*",
        "-t -f=@ -v -z -j -J -a -x -O --extract --get --to-stdout --list --file=@ --verbose --gzip --bzip2 --xz --zstd \
         --auto-compress --wildcards --exclude= --strip-components= --full-time \
         --numeric-owner --force-local --no-wildcards --block-number -R --utc",
    )
    .check(Check::Tar),
    listed("unzip", "pt*", "-l -v -t -p -c -q -Z -1 -h")
        .check(Check::NeedsFlag("-l -v -t -p -c -Z")),
    free("zipinfo", "pt*", ""),
    listed(
        "bat|batcat",
        "p*",
        "-n -p -A -l= -r= -P --plain --number --show-all --language= --line-range= --paging= \
         --color= --style= --theme= --decorations= --wrap= --tabs= --list-languages \
         --list-themes",
    ),
];
