//! Languages, their package managers and formatters: what they tell of themselves and of the
//! project without running code of the project.
//!
//! Not here, although their words sound like reading: `bundle list` (the Gemfile is a program),
//! `composer show` (plug-ins of the project), `pytest --version` (before its version 9 it loads conftest.py), `tox`
//! (toxfile.py), `mypy`, `ruff` and
//! `black --check` (caches), `go list` (may fetch), `perl -c` (`BEGIN` runs).

use super::row::{Check, Row, acts, listed};

const VERSION: Check = Check::NeedsFlag("--version -V -v");

pub(super) const ROWS: &[Row] = &[
    listed(
        "composer|rake|gem|bundle|bundler|pipx|jupyter|mix|flutter|vercel|netlify|firebase|\
         wrangler|pre-commit|clang-format|clang-tidy|hyperfine|wrk|delta|glow|tldr|info|fzf|\
         exiftool|identify|mediainfo|nix|zless|dos2unix|unix2dos|xmllint|nox|sphinx-build|mkdocs|\
         twine|flit|rye|alembic|uvicorn|gunicorn|celery|streamlit|ipython|tailwindcss|nodemon|pm2|\
         vue|next|nuxt|astro|svelte-kit|expo|hugo|phpunit|phpstan|psalm|php-cs-fixer|ktlint|\
         detekt|swiftlint|swiftformat|pod|cargo-nextest|cross|sccache|ccache|cppcheck|doxygen|\
         valgrind|gcov|lcov|conan|vcpkg|xmake|scons|bison|flex|m4|autoconf|automake|libtool|cloc|\
         scc|watchexec|entr|ack|ripgrep|lazygit|tig|gitleaks|trivy|snyk|semgrep|sops|age|step|\
         cosign|oras|skopeo|crane|kubectx|kubens|stern|argocd|flux|istioctl|eksctl|tflint|\
         terragrunt|pulumi|mysqldump|pg_dump|pg_restore|mongodump|rabbitmqctl|etcdctl|zsh|ksh|nu|\
         pwsh",
        "",
        "--version",
    )
    .check(VERSION),
    listed("gem|rake|bundle|composer|pod", "", "-v -V --version").check(VERSION),
    // Completions for a shell, on the output.
    listed(
        "kubectl completion|helm completion|docker completion|minikube completion|kind completion|\
         kustomize completion|argocd completion|flux completion|hugo completion|poetry completions|\
         rustup completions|deno completions|uv generate-shell-completion|just --completions",
        "t*",
        "",
    )
    .check(Check::FirstOperand("bash zsh fish powershell elvish cargo")),
    listed("gh completion", "", "-s= --shell="),
    // Rust
    listed("rustup help", "t*", ""),
    // JavaScript
    listed("npm help", "", ""),
    listed(
        "pnpm licenses|pnpm licenses list|pnpm licenses ls",
        "t",
        "--json --long --prod -P --dev -D",
    )
    .check(Check::FirstOperand("list ls")),
    listed(
        "bun pm ls|bun pm bin|bun pm hash|bun pm hash-string|bun pm hash-print",
        "",
        "-g --global --all",
    ),
    listed(
        "deno fmt",
        "p*",
        "--check -q --quiet --ext= --ignore= --line-width= --indent-width= --use-tabs --no-semicolons \
         --single-quote --prose-wrap=",
    )
    .check(Check::NeedsFlag("--check")),
    listed(
        "fnm list|fnm ls|fnm current|volta list|volta which|nvm list|nvm ls|nvm current|nodenv which|\
         rbenv which|rbenv root|rbenv prefix|pyenv which|pyenv whence|pyenv root|pyenv prefix|\
         sdk current|jenv versions|jenv version|goenv versions|goenv version|tfenv list",
        "t*",
        "--no-colors --default -c -d --format=",
    ),
    // Python
    listed(
        "pip help|pip3 help|pip cache dir|pip cache info|pip cache list|pip3 cache dir|pip3 cache \
         info|pip3 cache list",
        "t*",
        "--format=",
    ),
    listed("poetry env list|poetry env info", "", "-p --path -e --executable --full-path"),
    listed("poetry config", "", "--list").check(Check::NeedsFlag("--list")),
    listed("poetry version", "", "-s --short"),
    listed("poetry check", "", "--lock --strict"),
    listed(
        "uv tool list|uv tool dir|uv cache dir|uv python dir|uv help",
        "t*",
        "--bin --show-paths --show-version-specifiers --show-with",
    ),
    listed("pip-audit|safety", "", "--version").check(VERSION),
    // Go
    listed("gopls version|gopls help|golangci-lint version|golangci-lint linters", "t*", ""),
    // Java. All of its tools take options from `@file`.
    listed("jar", "tp*", "")
        .check(Check::FirstOperand("tf tvf tfv vtf"))
        .response_files(),
    listed("jar", "p*", "-t -v -f=@ --list --verbose --file=@")
        .check(Check::NeedsFlag("-t --list"))
        .response_files(),
    listed(
        "javap",
        "p*",
        "-c -p -v -l -s -public -private -protected -package -verbose -constants -sysinfo -version \
         -cp=@ -classpath=@ --class-path=@",
    )
    .long()
    .response_files(),
    // An operand is another machine.
    listed("jps", "", "-l -m -v -q -lv -lm"),
    listed("kotlin|ocaml|ocamlc|ocamlopt|groovy", "", "-version --version")
        .long()
        .check(Check::NeedsFlag("-version --version")),
    // The syntax alone is looked at.
    listed("php", "p*", "-l -n").check(Check::NeedsFlag("-l")),
    listed("ruby", "p", "-c -w").check(Check::NeedsFlag("-c")),
    listed("bash|sh|dash", "pt*", "-n -v").check(Check::NeedsFlag("-n")),
    // `perl -V` and `perl -V:name`
    listed("perl", "", "-V?").check(Check::NeedsFlag("-V")),
    listed("ld", "", "-v -V --version").check(Check::NeedsFlag("-v -V --version")),
    // Runners of tasks that read their file and run nothing of it.
    listed(
        "just",
        "",
        "-l --list --summary -f=@ --justfile=@ -d=@ --working-directory=@ -u --unsorted \
         --list-heading= --list-prefix= --color= --groups",
    )
    .check(Check::NeedsFlag("-l --list --summary --groups")),
    listed("just", "", "-s= --show= -f=@ --justfile=@").check(Check::NeedsFlag("-s --show")),
    acts(
        "bazel|bazelisk|buck2",
        "t*",
        "",
    ),
    // Formatters and linters that write only when they are told to.
    listed("shfmt", "p*", "-d -l -i= -ci -bn -sr -s -ln= -p -f -fn -kp -mn -tojson -filename=").long(),
    listed(
        "clang-format",
        "p*",
        "--dry-run -n --Werror --verbose --style= -style= --fallback-style= -fallback-style= \
         --assume-filename= --lines= --sort-includes --output-replacements-xml --ferror-limit=",
    ),
    listed(
        "hadolint",
        "p*",
        "-f= --format= -c=@ --config=@ --ignore= -t= --failure-threshold= --no-fail --no-color \
         --strict-labels --trusted-registry= -v --version -V --verbose",
    ),
    // A schema or a style is fetched only when asked for.
    listed(
        "xmllint",
        "p*",
        "--noout --format --xpath= --html --nowarning --recover --nonet --pretty= --c14n --huge \
         --encode= --noblanks --debug --stats --timing",
    ),
    listed("difft", "pp", "--color= --display= --context= --width= --language= --tab-width="),
    listed(
        "scc",
        "p*",
        "-f= --format= --by-file -w --wide -s= --sort= -i= --include-ext= -x= --exclude-ext= \
         --exclude-dir= --no-cocomo -c --no-complexity -d --no-duplicates -M= --not-match= -u --uloc",
    ),
    listed(
        "ack",
        "tp*",
        "-i -v -w -l -L -c -n -H -h -o -s -x -1 -A= -B= -C= -m= -f! -g= -Q -r -R -k --ignore-case \
         --invert-match --word-regexp --files-with-matches --files-without-matches --count \
         --no-filename --with-filename --max-count= --after-context= --before-context= --context= \
         --type= -t= -T= --ignore-dir= --ignore-file= --literal --nocolor --color --group --nogroup \
         --heading --noheading --break --nobreak --column --smart-case -S --passthru --sort-files \
         --show-types --help-types --python --rust --js --ts --ruby --perl --java --go --cc --cpp \
         --html --css --json --yaml --markdown --php --shell --noenv --match=! --nopager",
    ),
];
