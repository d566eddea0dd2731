//! Tools of a developer: what they answer about themselves and the project
//! without running project code.

use super::row::{Check, Row, acts, listed};

const DOCKER: &str = "-a -q -n= -l -s -f= --since= --until= --all --quiet --filter= --format= --no-trunc --latest --last= \
         --size --digests --tree --type= -v --verbose --services --status= --orphans \
         --dry-run";
const VERSION: Check = Check::NeedsFlag("--version -version -V -v -vV --help -h");

pub(super) const ROWS: &[Row] = &[
    // Programs whose answer about themselves is all that is read-only.
    listed(
        "make|cmake|ninja|meson|gcc|g++|clang|clang++|cc|c++|ld|gdb|lldb|bash|sh|zsh|fish|\
         dash|tsc|eslint|prettier|jest|vitest|vite|webpack|rollup|esbuild|biome|playwright|\
         mocha|ts-node|tsx|nx|turbo|lerna|psql|mysql|sqlite3|redis-cli|mongosh|helm|\
         terraform|tofu|ansible|aws|gcloud|az|gh|glab|hub|tmux|screen|vim|nvim|emacs|nano|\
         code|curl|wget|ffmpeg|ffprobe|pandoc|convert|magick|deno|bun|bunx|npx|uv|uvx|poetry|\
         pipenv|pdm|hatch|black|ruff|flake8|mypy|pyright|pylint|isort|conda|mamba|mvn|gradle|\
         kotlin|kotlinc|scala|clojure|elixir|iex|erl|ghc|cabal|stack|ocaml|dune|opam|swift|\
         xcodebuild|dart|julia|R|Rscript|lua|luajit|zig|nim|crystal|dotnet|golangci-lint|\
         gopls|rust-analyzer|rustfmt|clippy-driver|cargo-clippy|wasm-pack|trunk|just|task|\
         bazel|buck2|protoc|buf|shellcheck|shfmt|hadolint|actionlint|yamllint|docker-compose|\
         podman|buildah|kind|minikube|k9s|kustomize|skaffold|vagrant|packer|consul|vault|\
         nomad|direnv|asdf|mise|nvm|fnm|volta|corepack|git-lfs|svn|hg|ssh|rsync|brew|apt|\
         apt-get|snap|flatpak|systemd|nginx|openssl|gpg|less|more|most|strace|ltrace|valgrind|perf",
        "",
        "--version --help",
    )
    .check(VERSION),
    listed("ssh|tmux|curl|wget|openssl", "", "-V").check(VERSION),
    listed("nginx|httpd|apachectl|strace|lsd", "", "-v -V").check(VERSION),
    // With a file they compile it.
    listed(
        "gcc|g++|clang|clang++|cc|c++",
        "",
        "-v --version -dumpversion -dumpmachine -dumpfullversion -print-search-dirs",
    )
    .long()
    .check(Check::NeedsFlag(
        "-v --version -dumpversion -dumpmachine -dumpfullversion -print-search-dirs",
    )),
    listed(
        "terraform|tofu|packer|consul|vault|nomad|scala|kotlinc|erl",
        "",
        "-version --version -v -help --help",
    )
    .long()
    .check(Check::NeedsFlag("-version --version -v -help --help")),
    listed(
        "dotnet",
        "",
        "--info --list-sdks --list-runtimes --version -h",
    )
    .check(Check::NeedsFlag(
        "--info --list-sdks --list-runtimes --version -h",
    )),
    listed("php", "", "-v -m -i --ini").check(Check::NeedsFlag("-v -m -i --ini")),
    listed(
        "zig version|zig env|kind version|k3d version|packer version|pulumi version|minikube \
         version|skaffold version|buf version|hugo version|git-lfs version|bazel version|dart \
         info|mise version|asdf version|nvm version|deno info|docker-compose version",
        "",
        "--short",
    ),
    listed(
        "openssl version|helm version|terraform version|deno version|uv version|vault version",
        "",
        "-a --short --client",
    ),
    listed("node|nodejs", "", "-v -h --version --help").check(VERSION),
    listed("python|python2|python3|pypy3", "", "-V -h --version --help").check(VERSION),
    listed("ruby|php|perl|perl5|lua", "", "-v -h --version --help").check(VERSION),
    listed(
        "java|javac|ffmpeg|ffprobe",
        "",
        "-version --version -help --help",
    )
    .long()
    .check(VERSION),
    listed(
        "tsc|eslint|prettier|jest|make|docker-compose|mvn|gradle|bun",
        "",
        "-v --version -h --help",
    )
    .check(VERSION),
    // Cargo: not those that resolve (they may reach the network) or build.
    listed("cargo", "", "--version -V -v --verbose --list --help -h")
        .check(Check::NeedsFlag("--version -V --list --help -h")),
    listed(
        "cargo version|cargo help|cargo locate-project|cargo pkgid",
        "t*",
        "-v --verbose --workspace --message-format=",
    ),
    listed(
        "cargo read-manifest|cargo verify-project",
        "",
        "--manifest-path=@",
    ),
    listed(
        "cargo metadata",
        "",
        "--no-deps --offline --frozen --locked --format-version= --manifest-path=@ --all-features \
         --features= -q --quiet",
    )
    .check(Check::NeedsFlag("--no-deps --frozen")),
    listed(
        "cargo tree",
        "",
        "--offline --frozen --locked -i= -p= -d -e= -f= --invert= --package= --duplicates --edges= \
         --format= --depth= --prefix= --workspace --all-features --features= \
         --no-default-features --target=",
    )
    .check(Check::NeedsFlag("--frozen")),
    // `--print cfg=file` writes the file.
    listed(
        "rustc",
        "",
        "--version -V -v --verbose -vV --help -h --print=% --explain=",
    )
    .check(Check::NeedsFlag(
        "--version -V -v --help -h --print --explain",
    )),
    listed("rustup", "", "--version -V --help -h").check(VERSION),
    listed(
        "rustup show|rustup toolchain list|rustup target list|rustup component list|rustup \
         which|rustup show active-toolchain|rustup show home",
        "t*",
        "-v --verbose --installed --toolchain= --quiet -q",
    ),
    // npm and its kin: not those that ask the registry.
    listed("npm|pnpm|yarn", "", "-v --version -h --help").check(VERSION),
    listed(
        "npm ls|npm list|npm ll|npm la|npm root|npm prefix|npm bin|npm explain|npm why|npm \
         query|npm config get|npm config list|npm config ls|npm get|npm pkg get",
        "t*",
        "-g -a -l --global --all --long --json --depth= --parseable --prod --production \
         --dev --omit= --include= --package-lock-only --workspaces --workspace= -w=",
    ),
    listed("npm version", "", "--json"),
    // Without a script they list the scripts.
    listed("npm run|npm run-script|pnpm run|yarn run", "", "--json"),
    listed(
        "pnpm ls|pnpm list|pnpm ll|pnpm la|pnpm why|pnpm root|pnpm bin|pnpm config get|pnpm \
         config list|pnpm store path",
        "t*",
        "-g -r -D -P -l --global --recursive --json --depth= --long --parseable --dev --prod \
         --filter= --only-projects",
    ),
    listed(
        "yarn list|yarn why|yarn config get|yarn config list|yarn workspaces list|yarn \
         workspaces info|yarn bin|yarn versions|yarn help",
        "t*",
        "--json --depth= --pattern= --all --verbose -v -R --recursive",
    ),
    listed("pip|pip3", "", "--version -V --help -h").check(VERSION),
    listed(
        "pip list|pip3 list|pip show|pip3 show|pip freeze|pip3 freeze|pip check|pip3 check|\
         pip config list|pip config get|pip inspect|uv pip list|uv pip show|uv pip freeze|uv \
         pip tree",
        "t*",
        "-f -v -q -l --format= --local --user --not-required --editable --exclude= --files \
         --verbose --all",
    ),
    listed(
        "gem list|gem env|gem environment|gem which|gem contents",
        "t*",
        "--local -l -d --paths --path",
    ),
    listed(
        "go version|go help|go doc",
        "g*",
        "-m -v -all -short -src -u -c",
    )
    .long(),
    listed("go env", "t*", "-json -changed").long(),
    listed(
        "brew list|brew --prefix|brew --version|brew leaves|brew deps",
        "t*",
        "--versions --formula --cask",
    ),
    // Docker answers over its local socket.
    listed("docker|podman", "", "-v --version --help").check(VERSION),
    listed(
        "docker ps|docker images|docker version|docker info|docker image ls|docker image \
         list|docker container ls|docker container list|docker container ps|docker volume ls|\
         docker network ls|docker context ls|docker context show|docker system df|docker \
         plugin ls|docker compose ps|docker compose ls|docker compose images|docker compose \
         version|docker compose top|docker compose port|docker compose stats|docker context \
         inspect|docker buildx ls|docker buildx version|docker buildx du|docker node ls|docker \
         service ls|docker service ps|docker stack ls|docker stack ps|docker stack services|docker \
         secret ls|docker config ls|docker system info|docker system events|docker events|docker \
         help|docker-compose ps|docker-compose images|docker-compose version|podman ps|\
         podman images|podman info",
        "t*",
        DOCKER,
    ),
    listed(
        "docker inspect|docker image inspect|docker container inspect|docker volume inspect|\
         docker network inspect|docker history|docker image history|docker port|docker top|\
         docker diff|docker container port|docker container top|docker container diff|podman \
         inspect",
        "t*",
        "-f= -s -q -H --format= --size --type= --no-trunc --quiet --human",
    ),
    listed(
        "docker logs|docker container logs|docker compose logs|docker-compose logs|podman logs",
        "t*",
        "-f -n= -t --follow --tail= --since= --until= --timestamps --details --no-color \
         --no-log-prefix",
    ),
    listed(
        "docker stats",
        "t*",
        "-a --all --no-stream --no-trunc --format=",
    ),
    listed(
        "docker compose config|docker-compose config",
        "t*",
        "-q --quiet --services --volumes --images --profiles --format= --no-interpolate --hash=",
    ),
    // They ask a server: read verbs, but over the network.
    listed(
        "kubectl get|kubectl describe|kubectl logs|kubectl top|kubectl explain|kubectl \
         api-resources|kubectl api-versions|kubectl cluster-info|kubectl events|kubectl \
         rollout status|kubectl rollout history|kubectl auth can-i|kubectl diff",
        "t*",
        "-n= -o= -l= -A -w -f -c= -p --namespace= --output= --selector= --all-namespaces \
         --watch --follow --container= --previous --tail= --since= --show-labels \
         --field-selector= --sort-by= --no-headers --context=",
    )
    .network(),
    listed("kubectl version", "", "--client -o= --output=").check(Check::NeedsFlag("--client")),
    listed(
        "kubectl config view|kubectl config get-contexts|kubectl config current-context|\
         kubectl config get-clusters|kubectl config get-users",
        "t*",
        "--minify -o= --output= --no-headers",
    ),
    listed(
        "gh pr list|gh pr view|gh pr diff|gh pr status|gh pr checks|gh issue list|gh issue \
         view|gh issue status|gh repo view|gh repo list|gh run list|gh run view|gh release \
         list|gh release view|gh workflow list|gh workflow view|gh auth status|gh search|gh \
         status|gh label list|gh gist list|gh gist view",
        "t*",
        "-R= -L= -s= -q= -t= -a= -l= -B= -H= -S= --repo= --limit= --state= --json= --jq= \
         --template= --comments --log --log-failed --author= --assignee= --label= --search= \
         --name-only",
    )
    .network(),
    listed(
        "gh config get|gh config list|gh alias list|gh extension list|gh help|gh version",
        "t*",
        "",
    ),
    // Certificates and digests, of local files.
    listed(
        "openssl x509|openssl crl|openssl req|openssl rsa|openssl pkey",
        "",
        "-in=@ -noout -text -subject -issuer -dates -startdate -enddate -fingerprint -serial \
         -sha1 -sha256 -inform= -ext= -purpose -modulus -pubkey -hash -verify -pubin -check \
         -nameopt= -certopt=",
    )
    .long()
    .check(Check::NeedsFlag("-noout")),
    listed(
        "openssl dgst|openssl sha1|openssl sha256|openssl sha512|openssl md5",
        "p*",
        "-sha1 -sha224 -sha256 -sha384 -sha512 -md5 -r -hex -binary -c",
    )
    .long(),
    // Networking tools.
    acts(
        "ping|ping6|traceroute|tracepath|mtr|dig|nslookup|host|whois|telnet|nc|ncat|netcat|\
         socat|nmap|ftp|sftp|aria2c|http|https|xh|lynx|w3m",
        "t*",
        "",
    )
    .network(),
    acts(
        "curl",
        "t*",
        "-o=> --output=> -T=@ --upload-file=@ -d= --data= --data-binary= --data-raw= \
         --data-urlencode= -H= --header= -X= --request= -u= --user= -A= --user-agent= -e= \
         --referer= -b= --cookie= -c=> --cookie-jar=> -K=@ --config=@ -F= --form= -m= \
         --max-time= -w= --write-out= -x= --proxy= --cacert=@ --cert=@ --key=@ --retry= \
         --connect-timeout= -D=> --dump-header=> --output-dir=> -E=@",
    )
    .network(),
    acts(
        "wget",
        "t*",
        "-O=> --output-document=> -P=> --directory-prefix=> -o=> --output-file=> -i=@ \
         --input-file=@ -t= -T= -U= --header=",
    )
    .network(),
    acts("ssh", "t*", "-i=@ -F=@ -p= -l= -o= -L= -R= -D= -J=").network(),
    acts(
        "scp|rsync",
        "g*",
        "-i=@ -P= -p -e= -o= --exclude= --include= --exclude-from=@",
    )
    .network(),
    acts(
        "npm install|npm i|npm add|npm ci|npm update|npm view|npm info|npm show|npm search|\
         npm outdated|npm audit|npm publish|npm login|npm whoami|npx|pnpm install|pnpm add|\
         pnpm i|pnpm update|pnpm dlx|pnpm outdated|yarn|yarn add|yarn install|yarn upgrade|\
         yarn info|yarn dlx|bun install|bun add|pip install|pip3 install|pip download|cargo \
         install|cargo add|cargo search|cargo publish|cargo update|cargo fetch|cargo info|go \
         get|go install|gem install|bundle install|composer install|brew install|apt install|\
         apt-get install|apt update|apt-get update|apt upgrade|docker pull|docker push|\
         docker login|docker search|gh|aws|gcloud|az|kubectl|helm|terraform apply|terraform \
         init|uv add|uv sync|poetry install|poetry add",
        "g*",
        "",
    )
    .network(),
];
