//! The machine: installed packages, services, archives, certificates, clusters and clouds, as
//! far as an answer lies on this machine and nothing is started or written for it.
//!
//! Not here: what asks a server (`kubectl get`, `gh`, `aws`, `terraform plan`), starts scripts of
//! services (`service x status`), writes a key ring or a cache on the way (`gpg --list-keys`,
//! `brew config`), or reads the project by running it (`make -n`, `kustomize build` with remote
//! bases).

use super::row::{Check, Row, listed};

pub(super) const ROWS: &[Row] = &[
    // Packages
    listed(
        "apk info|apk list",
        "t*",
        "-v -vv -e -a -d -L -s -w -r -I --installed --who-owns=@",
    ),
    listed(
        "snap list|snap version|snap connections|snap services",
        "t*",
        "--all",
    ),
    listed(
        "flatpak list|flatpak info|flatpak remotes",
        "t*",
        "--app --runtime --user --system --columns= -d --show-details -a --all",
    ),
    listed("nix-env", "t*", "-q --query --installed --json").check(Check::NeedsFlag("-q --query")),
    listed(
        "nix profile list|nix-store --version|nix flake --help",
        "",
        "--json",
    ),
    listed("port installed|port version", "t*", "-v -q"),
    listed(
        "update-alternatives|alternatives",
        "",
        "--list= --display= --query= --get-selections",
    )
    .check(Check::NeedsFlag(
        "--list --display --query --get-selections",
    )),
    listed("dpkg-deb|dpkg", "pt*", "-c -I --contents --info")
        .check(Check::NeedsFlag("-c -I --contents --info")),
    listed("dpkg", "t*", "--get-selections --audit -C")
        .check(Check::NeedsFlag("--get-selections --audit -C")),
    listed("rpm", "p*", "-q -f --query --file -l -i --list --info")
        .check(Check::NeedsFlag("-q --query")),
    listed("apt-config|apt-key", "t", "").check(Check::FirstOperand("dump")),
    listed(
        "conda config|mamba config",
        "",
        "--show --show-sources --json",
    )
    .check(Check::NeedsFlag("--show --show-sources")),
    // Processes and devices
    listed(
        "fuser",
        "g*",
        "-v -n= -a -u -m -4 -6 -I -l -s --verbose --namespace= --all --user --mount --list-signals",
    ),
    listed("atq", "", "-q= -V"),
    // A name with a value sets it, `-p` loads a file.
    listed(
        "sysctl",
        "t*",
        "-a -n -N -e -r= --all --values --names --ignore --pattern= -b --binary",
    )
    .check(Check::WithoutEquals),
    listed("alias", "t*", "").check(Check::WithoutEquals),
    listed("ssh-add", "", "-l -L -q -E=").check(Check::NeedsFlag("-l -L")),
    listed("ssh-keygen", "", "-l -v -f=@ -E= -q").check(Check::NeedsFlag("-l")),
    // A format could run commands.
    listed(
        "tmux ls|tmux list-sessions|tmux list-windows|tmux list-panes|tmux list-keys|tmux info",
        "",
        "-a -s -t=",
    ),
    listed("screen", "", "-ls -list -v")
        .long()
        .check(Check::NeedsFlag("-ls -list -v")),
    listed("xrandr|xdpyinfo|xset", "", "-q --query --listmonitors")
        .check(Check::NeedsFlag("-q --query --listmonitors")),
    listed(
        "sensors|acpi|lsipc|lslocks|lslogins|lsns|prlimit",
        "",
        "-a -b -A -J -u -f -V --all --json",
    ),
    listed("pmap|pwdx", "t*", "-x -X -d -q -p"),
    listed("ipcs", "", "-a -m -q -s -l -u -t -p -c -b --human"),
    listed("bluetoothctl|upower", "", "-d --dump --version")
        .check(Check::NeedsFlag("-d --dump --version")),
    listed("defaults", "t*", "").check(Check::FirstOperand("read read-type domains find")),
    listed("scutil|pmset", "t*", "--dns --proxy -g").check(Check::NeedsFlag("--dns --proxy -g")),
    listed("diskutil list|diskutil info", "t*", "-plist"),
    listed("launchctl list|launchctl print|launchctl version", "t*", ""),
    listed(
        "sw_vers|system_profiler",
        "t*",
        "-productName -productVersion -buildVersion",
    )
    .long(),
    listed("xcode-select", "", "-p --print-path -v --version")
        .check(Check::NeedsFlag("-p --print-path -v --version")),
    listed(
        "xcrun",
        "",
        "--show-sdk-path --show-sdk-version --version --sdk=",
    )
    .check(Check::NeedsFlag(
        "--show-sdk-path --show-sdk-version --version",
    )),
    // Archives and object files
    listed("7z l|7za l|7zr l|7z t|7za t", "p*", "-slt -ba -bd -r")
        .long()
        .response_files(),
    listed("ar", "tp*", "")
        .check(Check::FirstOperand("t tv tvO vt tO p pv"))
        .response_files(),
    // `-F host:file` would go to another machine.
    listed(
        "cpio",
        "t*",
        "-t -i -v -n -c --list --quiet --verbose --numeric-uid-gid",
    )
    .check(Check::NeedsFlag("-t --list")),
    listed("lsar|unrar l|unrar lb|unrar v", "p*", "-l -L -j"),
    listed(
        "otool",
        "p*",
        "-L -l -h -t -f -a -D -I -S -T -X -d -r -o -v -V -tV -hv",
    ),
    listed("lipo", "p", "-info -archs -detailed_info").long(),
    listed(
        "dwarfdump|llvm-dwarfdump",
        "p*",
        "--version -h --debug-info --debug-line --all",
    ),
    listed("cmark", "p*", "--version"),
    listed(
        "openssl ciphers",
        "t",
        "-v -V -s -stdname -tls1 -tls1_1 -tls1_2 -tls1_3 -psk -srp",
    )
    .long(),
    listed(
        "openssl list",
        "",
        "-digest-algorithms -cipher-algorithms -public-key-algorithms -commands -digest-commands \
         -cipher-commands -providers -disabled -verbose -1",
    )
    .long(),
    listed(
        "openssl pkcs7|openssl pkcs12|openssl asn1parse",
        "",
        "-in=@ -noout -text -print_certs -inform= -i",
    )
    .long()
    .check(Check::NeedsFlag("-noout -i")),
    listed(
        "keytool",
        "",
        "-list -v -rfc -keystore=@ -storetype= -alias=",
    )
    .long()
    .check(Check::NeedsFlag("-list"))
    .response_files(),
    listed("plutil", "p*", "-p -lint -s")
        .long()
        .check(Check::NeedsFlag("-p -lint")),
    listed(
        "sdiff",
        "pp",
        "-s -w= -b -B -i -l -W -E -t --suppress-common-lines --width= --left-column",
    ),
    listed(
        "diff3",
        "ppp",
        "-e -A -E -x -X -3 -m -a -T -L= --merge --text --easy-only --show-all",
    ),
    listed(
        "patch",
        "pp",
        "--dry-run -p= -R -N -s -l -u -c -n -e -F= -i=@ -d=@ --strip= --reverse --forward --silent \
         --input=@ --directory=@ --fuzz= --verbose",
    )
    .check(Check::NeedsFlag("--dry-run")),
    // The operands of dd are checked: what it writes must hold nothing.
    listed("dd", "t*", "").check(Check::Copied),
    listed(
        "locate|mlocate|plocate",
        "t*",
        "-i -c -l= -n= -r= -b -w -e -0 -S -q --ignore-case --count --limit= --regex --basename --existing",
    ),
    // Clusters, as far as files of this machine tell.
    listed(
        "helm env|helm repo list|helm plugin list",
        "",
        "-o= --output=",
    ),
    listed(
        "helm lint",
        "p*",
        "--strict --quiet --with-subcharts -f=@ --values=@ --set= --set-string=",
    ),
    listed(
        "kustomize version|kind get clusters|kind get nodes|k3d cluster list|minikube profile list",
        "",
        "--short -A --all-clusters --name= --no-headers -o= --output=",
    ),
    listed(
        "terraform fmt|tofu fmt",
        "p*",
        "-check -diff -recursive -no-color",
    )
    .long()
    .check(Check::NeedsFlag("-check")),
    listed(
        "gcloud version|gcloud info|gcloud config list|gcloud config get-value",
        "t*",
        "--format= --all",
    ),
    listed("az version", "", "-o= --output="),
    listed(
        "fly version|flyctl version|heroku version|railway version|supabase version|argocd version|flux version|istioctl version|eksctl version|velero version|sops version|age version|cosign version|crane version|skopeo version|trivy version|grype version|syft version|buildctl version|nerdctl version|crictl version|ctr version|etcdctl version|hugo version|caddy version|traefik version|k9s version|stern version|task version|air version|goreleaser version|ko version|tilt version|skaffold version|earthly version|dagger version|act version|gitleaks version|jj version|restic version|rclone version|cloudflared version|ngrok version|tailscale version|step version|bw version|op version|doppler version|infisical version|flutter version|swift version|ollama version",
        "",
        "--short --client --version -v",
    ),
];
