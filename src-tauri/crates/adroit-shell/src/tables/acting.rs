//! Programs that write, remove, control or run: which of their words are
//! paths, so that redirects are not the only writes that are seen.

use super::row::{Depth, Row, acts};

pub(super) const ROWS: &[Row] = &[
    acts("rm|shred|unlink|srm", "r*", "-n= -s= --iterations= --size="),
    acts("rmdir", "r*", ""),
    // It may run the program that it looks at.
    acts("ldd", "p*", ""),
    acts("mv", "r*w", "-t=> -S= --target-directory=> --suffix="),
    acts("cp|ditto", "p*w", "-t=> -S= --target-directory=> --suffix=")
        .depth(Depth::Flags("-r -R -a --recursive --archive")),
    acts("ln|link", "p*w", "-t=> -S= --target-directory=> --suffix="),
    acts(
        "install",
        "p*w",
        "-t=> -m= -o= -g= -S= --target-directory=> --mode= --owner= --group=",
    ),
    acts("dd", "t*", ""),
    acts("mkdir|mkfifo|mknod", "w*", "-m= --mode="),
    acts("touch", "w*", "-d= -t= -r=@ --date= --reference=@ --time="),
    acts("tee|sponge", "w*", ""),
    acts("truncate", "w*", "-s= -r=@ --size= --reference=@"),
    acts("chmod|chown|chgrp|chcon", "tw*", "--reference=@! --from=")
        .depth(Depth::Flags("-R --recursive")),
    acts("chattr", "tw*", "-v= -p=").depth(Depth::Flags("-R")),
    acts(
        "setfacl",
        "w*",
        "-m= -x= -M=@ -X=@ --modify= --remove= --restore=@ --set=",
    )
    .depth(Depth::Flags("-R --recursive")),
    acts("xattr", "tw*", ""),
    acts("fallocate", "w", "-l= -o= --length= --offset="),
    acts("mktemp", "w*", "-p=> --tmpdir? --suffix="),
    acts(
        "sort",
        "p*",
        "-o=> --output=> -k= -t= -S= -T=> --key= --field-separator= --temporary-directory=> \
         --compress-program=",
    ),
    acts("uniq", "pw", "-f= -s= -w="),
    acts(
        "sed|gsed",
        "tw*",
        "-n -E -r -s -u -z -e=! -f=@! -l= --expression=! --file=@! --line-length= -i? --in-place?",
    ),
    acts(
        "awk|gawk|mawk|nawk",
        "tp*",
        "-F= -v= -f=@! -i= -l= --file=@! --include= --load= --assign=",
    ),
    acts("perl", "tw*", "-n -p -w -a -e=! -E=! -I=@ -M= -m= -i?"),
    acts("python|python2|python3|pypy3", "pg*", "-c=! -m=! -W= -X="),
    acts("ruby", "pg*", "-e=! -I=@ -r="),
    acts("php", "pg*", "-r=! -f=@! -d= -c=@ -S= -t=@"),
    acts(
        "node|nodejs|deno|bun",
        "pg*",
        "-e=! -p=! -r=@ --eval=! --print=! --require=@ --import=@",
    ),
    acts(
        "bash|sh|zsh|dash|ksh|fish",
        "pt*",
        "-c=! -o= --rcfile=@ --init-file=@",
    ),
    acts("source|.", "pt*", ""),
    acts(
        "eval|exec|trap|alias|export|declare|typeset|local|readonly|unset|let|builtin|\
         command|hash|enable|bind|complete|printf|read|mapfile|readarray|getopts|echo|ulimit",
        "t*",
        "",
    ),
    acts(
        "make|gmake",
        "t*",
        "-C=@ -f=@ -I=@ -j? -l? -o= -W= --directory=@ --file=@ --makefile=@",
    ),
    acts(
        "cmake",
        "g*",
        "-S=@ -B=> -G= -D= -P=@ --build=> --install=>",
    ),
    acts(
        "gcc|g++|cc|c++|clang|clang++|rustc",
        "p*",
        "-o=> -I=@ -L=@ -l= -D= --out-dir=>",
    ),
    acts(
        "patch",
        "wp",
        "-i=@ -o=> -p= -d=@ --input=@ --output=> --directory=@",
    ),
    acts(
        "tar|bsdtar",
        "g*",
        "-f=> -C=@ --file=> --directory=@ --exclude=",
    ),
    acts("zip", "wp*", "-x= -i=").depth(Depth::Flags("-r --recurse-paths")),
    acts("unzip", "pt*", "-d=> -x="),
    acts(
        "gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|lz4|7z",
        "w*",
        "-S= -o=>",
    ),
    // The second operand begins the names of what is written.
    acts(
        "split",
        "pw",
        "-l= -b= -n= -a= -C= -t= --lines= --bytes= --number= --suffix-length= --filter= \
         --additional-suffix= --separator=",
    ),
    acts(
        "csplit",
        "pt*",
        "-f=> --prefix=> -n= -b= --digits= --suffix-format=",
    ),
    acts("tree", "p*", "-o=> -L= -P= -I="),
    acts("file", "p*", "-m=@ -f=@"),
    acts("xxd", "pw", "-c= -g= -l= -s="),
    acts("iconv", "p*", "-f= -t= -o=> --output=>"),
    acts("kill|pkill|killall|skill", "t*", "-s= -n="),
    acts("jq|yq", "tw*", "-f=@! --from-file=@! -L=@"),
    acts("rg", "tp*", "-e=! -f=@! -g= -t= --pre= --pre-glob="),
    acts("grep", "tp*", ""),
    acts(
        "find|gfind",
        "p*",
        "-name= -iname= -path= -ipath= -regex= -type= -size= -mtime= -mmin= -newer=@ -perm= \
         -user= -group= -maxdepth= -mindepth= -fprint=> -fprint0=> -fls=> -fprintf=>",
    )
    .long(),
    acts(
        "vim|vi|nvim|nano|emacs|code|ed|ex|pico|micro|hx|subl",
        "w*",
        "-c= -S=@ -u=@",
    ),
    acts("open|xdg-open|start", "g*", ""),
    acts("crontab", "p", "-u="),
    acts("sqlite3", "wt*", "-init=@").long(),
    acts(
        "psql|mysql|mariadb|mongosh|mongo|redis-cli|dropdb|createdb|pg_restore|mysqladmin",
        "t*",
        "-c= -e= -f=@ -h= -U= -d= -p? -u= --command= --execute= --file=@ --eval=",
    ),
    acts(
        "systemctl|service|launchctl|shutdown|reboot|halt|poweroff|init|mkfs|fdisk|parted|\
         wipefs|swapoff|mount|umount|modprobe|sysctl|hostname|date|useradd|userdel|usermod|\
         passwd|groupadd|iptables|ufw",
        "g*",
        "",
    ),
    acts(
        "docker cp|docker container cp|docker load|docker save",
        "g*",
        "-i=@ -o=> --input=@ --output=>",
    ),
    acts(
        "docker build|docker buildx|docker image build|podman build",
        "g*",
        "-f=@ -t= --file=@ --tag= --build-arg= --target= --platform= -o=> --output=>",
    ),
    acts(
        "docker|podman|docker-compose",
        "t*",
        "-f=@ --file=@ -v=@ -e= -p= -w= --name= --volume=@ --env-file=@ --mount=@",
    ),
    acts(
        "cargo",
        "t*",
        "--manifest-path=@ --target= --target-dir=> -p= --bin= --example= --features= --package= \
         --path=@ --root=>",
    ),
    acts(
        "npm|pnpm|yarn|bun",
        "t*",
        "-C=@ --prefix=@ --cwd=@ --dir=@ --filter= -w=",
    ),
    acts("go", "g*", "-o=> -C=@ -run= -tags=").long(),
];
