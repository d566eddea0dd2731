//! Facts about the machine, and what the shell itself answers.

use super::row::{Check, Row, free, listed};
use crate::types::Sight;

pub(super) const ROWS: &[Row] = &[
    free("echo", "t*", ""),
    free("printf", "t*", "").check(Check::Printf),
    listed("pwd", "", "-L -P --logical --physical"),
    free("true|false|:", "t*", ""),
    free("test|[", "t*", "").check(Check::Test),
    free("expr|factor|yes|sleep", "t*", ""),
    free("seq", "t*", "-f= -s= --format= --separator="),
    // An operand without `+` and `-s` set the clock.
    listed(
        "date|gdate",
        "t*",
        "-u -d= -r=@ -R -I? -f=@ --date= --iso-8601? --rfc-3339= --rfc-email --utc \
         --universal --reference=@ --file=@ --debug --resolution",
    )
    .check(Check::Plus),
    free("cal|ncal", "t*", "-A= -B= -m= -d="),
    free(
        "id|groups|w|whoami|logname|tty|uname|hostid|uptime|nproc",
        "t*",
        "--ignore=",
    ),
    // With an operand it runs it, on macOS.
    listed("arch", "", ""),
    // An operand is a file of log-ins.
    free("who|users", "p*", ""),
    listed(
        "last|lastb",
        "t*",
        "-n= -f=@ -x -a -d -F -i -w -R -s= -t= -p= --file=@ --limit= --since= --until=",
    )
    .digits(),
    // The databases that lie in files; the others ask a server.
    listed("getent", "t*", "-s=").check(Check::Verb(
        "passwd group shadow gshadow services protocols networks rpc shells aliases",
    )),
    listed(
        "bc",
        "p*",
        "-l -q -s -w -i --mathlib --quiet --standard --warn --interactive -S= --scale=",
    ),
    // An operand sets the name.
    listed(
        "hostname",
        "",
        "-a -A -d -f -i -I -s -y --alias --all-fqdns --domain --fqdn --ip-address \
         --all-ip-addresses --long --short",
    ),
    free("free", "", "-s= -c= --seconds= --count="),
    free("printenv", "t*", ""),
    free("locale|getconf", "t*", ""),
    free("which|type", "t*", ""),
    free("whereis", "t*", "-B=@ -M=@ -S=@"),
    listed("command", "t*", "-v -V -p").check(Check::NeedsFlag("-v -V")),
    free("lsmod|vmstat|mpstat|lsb_release|sw_vers", "t*", ""),
    // Another system's root, a device, a folder.
    free("lscpu|lsmem", "t*", "-s=@ --sysroot=@ -o= --output="),
    free("lsusb", "t*", "-s= -d= -D=@"),
    free("iostat", "t*", "-f=@ -g= -j= -o="),
    free(
        "lsblk|findmnt",
        "g*",
        "-o= -t= -I= -e= --output= --sysroot=@ -F=@ --tab-file=@ -N= --task=",
    ),
    free(
        "ps",
        "t*",
        "-o= -O= -p= -u= -C= -t= -G= -U= -g= -q= --sort= --format= --pid= --ppid= --user= \
         --group=",
    ),
    free("pgrep|pidof", "t*", "-u= -U= -P= -g= -G= -t= -s= -d= -F=@"),
    free("pstree", "t*", ""),
    listed("top", "", "-b -n= -p= -u= -o= -d= -c -H -i -w? -1").check(Check::NeedsFlag("-b")),
    listed("lsof", "g*", "-i? -n -P -p= -t -c= -u= -a -d= -U -l -R -s?"),
    listed(
        "ss|netstat",
        "t*",
        "-t -u -l -n -p -a -s -x -4 -6 -e -m -o -i -r -w -c -g --tcp --udp --listening \
         --numeric --processes --all --summary --route --program --programs",
    ),
    listed(
        "ip addr|ip a|ip address|ip link|ip l|ip route|ip r|ip neigh|ip n|ip rule",
        "t*",
        "",
    )
    .check(Check::FirstOperand("show list ls get")),
    listed("ifconfig", "", "-a -s"),
    // `-q` asks a server.
    listed("lspci", "", "-v -k -n -t -m -D"),
    listed("mount", "", "-l"),
    listed("umask", "", "-S -p"),
    listed(
        "loginctl",
        "t*",
        "--no-pager -a --all -l --full --no-legend",
    )
    .check(Check::FirstOperand(
        "list-sessions list-users list-seats session-status user-status show-session show-user",
    )),
    listed(
        "dmesg",
        "",
        "-T -l= -f= -k -x -t --level= --facility= --ctime --decode --notime --kernel",
    ),
    listed(
        "journalctl",
        "t*",
        "-u= -n= -f -b? -k -p= -r -e -o= -x -t= -g= -a -q --unit= --user-unit= --lines= \
         --follow --boot? --dmesg --priority= --reverse --output= --since= --until= \
         --no-pager --user --system --grep= --list-boots --disk-usage --catalog \
         --no-hostname --identifier= --utc",
    )
    .digits(),
    listed(
        "systemctl status|systemctl is-active|systemctl is-enabled|systemctl is-failed|\
         systemctl show|systemctl cat|systemctl list-units|systemctl list-unit-files|\
         systemctl list-timers|systemctl list-sockets|systemctl list-dependencies|systemctl \
         list-jobs|systemctl get-default|systemctl is-system-running|systemctl help",
        "t*",
        "-a -l -n= -o= -p= -t= -q --all --full --lines= --output= --property= --type= \
         --state= --quiet --no-pager --user --system --failed --plain --no-legend --value \
         --reverse --recursive",
    ),
    listed(
        "systemctl",
        "",
        "--failed --all --no-pager --user --type= --state= -a -t=",
    ),
    listed("timedatectl|hostnamectl|localectl", "t", "--no-pager")
        .check(Check::FirstOperand("status show")),
    listed("crontab", "", "-l").check(Check::NeedsFlag("-l")),
    listed(
        "dpkg|dpkg-query",
        "t*",
        "-l -L -s -S -p -W -f= --list --listfiles --status --search --print-architecture \
         --show --showformat=",
    )
    .check(Check::NeedsFlag(
        "-l -L -s -S -p -W --list --listfiles --status --search --print-architecture --show",
    )),
    listed(
        "apt list|apt show|apt search|apt policy|apt-cache search|apt-cache show|apt-cache \
         policy|apt-cache depends|apt-cache rdepends|apt-cache madison|apt-mark showmanual|\
         apt-mark showauto",
        "t*",
        "--installed --upgradable --all-versions -a -n --names-only",
    ),
    listed(
        "rpm",
        "t*",
        "-q -a -i -l --query --all --info --list --file --qf=",
    )
    .check(Check::NeedsFlag("-q --query")),
    listed("pacman", "t*", "-Q -i -l -s -o -e -q --query").check(Check::NeedsFlag("-Q --query")),
    listed(
        "pkg-config|pkgconf",
        "t*",
        "--cflags --libs --modversion --exists --list-all --variable= --static",
    ),
    // The shell itself.
    // `jobs -x` runs a command, `wait -p` assigns a variable.
    listed("jobs", "t*", "-l -p -n -r -s"),
    listed("wait", "t*", "-n -f"),
    listed("dirs", "", "-l -p -v"),
    listed("times", "", ""),
    free("exit|return|break|continue|shift", "t*", ""),
    listed("read", "t*", "-r -s -e -a? -d= -n= -N= -p= -t= -u= -i=").check(Check::Names),
    free("set|shopt", "t*", "").check(Check::ShellOptions),
    // A pager of one's own (`-P`, `-H`) runs a program.
    listed(
        "man",
        "g*",
        "-k -f -w -a -K -S= -s= --path --where --apropos --whatis",
    ),
    free("apropos|whatis", "t*", "-s="),
    free("help|clear", "t*", ""),
    listed("history", "t", ""),
    listed("alias|export|readonly", "", "-p"),
    listed("export", "t*", "").check(Check::SafeAssignments),
    listed("tee", "t*", "-a -i -p").check(Check::Devices),
    // With `-p` the names are told, not set.
    listed("declare|typeset", "t*", "-p -f -F -x -r -i -a -A").check(Check::Declarations),
    listed("hash", "", "-l -t"),
    listed("trap", "", "-l -p"),
    listed("fc", "t*", "-l -n -r").check(Check::NeedsFlag("-l")),
    listed("ulimit", "", "-a -S -H -n -u -s -c -f -v -t -m"),
    listed("kill", "t*", "-l -L").check(Check::NeedsFlag("-l -L")),
    listed("stty", "t", "-a -g").check(Check::FirstOperand("size speed")),
    free("lsattr|getfacl|namei|mountpoint", "p*", "").tells(Sight::Existence),
    listed("nvidia-smi", "", "-L -q"),
    listed(
        "conda list|conda info|conda env list|pyenv versions|pyenv version|rbenv versions|\
         rbenv version|nodenv versions|asdf current|asdf list",
        "t*",
        "-n= -e --json --envs",
    ),
    listed("tput", "t*", "-T=").check(Check::FirstOperand("cols lines colors longname")),
];
