//! Everyday reads that must not ask, and traps that must.

use super::look;

/// Read-only and inside the workspace: allowed without a question.
const READS: &[&str] = &[
    // Plain readers.
    "ls", "ls -la", "ls -lah --color=never src", "ls -1 *.md", "ls -R src | head -50", "ls -d */",
    "cat README.md", "cat -n src/main.rs", "cat package.json Cargo.toml", "cat 'file with spaces.txt'",
    "head -20 src/lib.rs", "head -c 100 data.bin", "head -n 5 a b c", "tail -n +10 CHANGELOG.md", "tail -5 log.txt",
    "tail -f logs/dev.log", "wc -l src/*.rs", "wc -l < Cargo.toml", "nl -ba src/main.rs", "tac log.txt", "rev a.txt",
    "stat Cargo.toml", "stat -c '%s %n' *.json", "file src/main.rs", "file -b --mime-type icon.png", "du -sh .",
    "du -h --max-depth=1", "du -sh * | sort -rh | head", "df -h", "df -h .", "tree", "tree -L 2 -I node_modules",
    "tree -a -I '.git|target' --dirsfirst", "realpath src", "readlink -f src/main.rs", "basename /a/b/c.txt .txt",
    "dirname src/a/b.rs", "pwd", "pwd -P", "whoami", "id", "id -un", "groups", "hostname", "hostname -s", "uname -a",
    "uname -sr", "nproc", "uptime", "free -h", "date", "date +%Y-%m-%d", "date -u '+%Y-%m-%dT%H:%M:%SZ'",
    "date -d yesterday +%F", "date --iso-8601=seconds", "cal", "env", "printenv PATH", "locale", "which cargo",
    "which -a python3 node", "type ls", "command -v rg", "whereis gcc", "seq 1 10", "seq -w 5", "sleep 1", "true",
    "false", ":", "echo hello", "echo -e 'a\\nb'", "echo \"$PATH\"", "echo $HOME", "echo $((1 + 2))", "echo *.md",
    "printf '%s\\n' a b", "printf \"%d\\n\" 42", "test -f Cargo.toml", "[ -d src ]", "[ -f a ] && echo yes || echo no",
    "[[ -f Cargo.toml ]]", "[[ -d src && -f Cargo.toml ]] && echo ok", "test -n \"$CI\" && echo ci",
    "[ \"$USER\" = root ] && echo root", "[[ $USER == dev* ]] && echo dev", "expr 1 + 2",
    // Text.
    "sort names.txt", "sort -u names.txt | uniq -c | sort -rn | head -20", "sort -t, -k2,2n data.csv", "uniq -c names.txt",
    "cut -d: -f1 data.txt", "cut -d ',' -f 2-4 data.csv", "tr a-z A-Z < README.md", "cat a.txt | tr -d '\\r'",
    "paste a.txt b.txt", "comm -12 a.txt b.txt", "join a.txt b.txt", "diff a.txt b.txt", "diff -u old.rs new.rs", "diff -rq src tests",
    "cmp a.bin b.bin", "md5sum Cargo.lock", "sha256sum dist/*.tar.gz", "shasum -a 256 package.json", "base64 icon.png",
    "base64 -d data.b64", "xxd -l 64 data.bin", "xxd data.bin | head", "od -c data.bin | head -3", "hexdump -C data.bin | head",
    "strings data.bin | grep version", "fold -w 80 README.md", "column -t -s, data.csv", "fmt -w 72 README.md", "tsort deps.txt",
    "diff <(sort a.txt) <(sort b.txt)", "comm -23 <(ls src) <(ls tests)", "zcat logs/app.log.gz | tail -20",
    "tar -tf dist.tar.gz", "tar tzf dist.tgz", "tar -tvf dist.tar | head", "unzip -l dist.zip", "gzip -cd a.gz | head",
    // Search.
    "grep -rn TODO src", "grep -rn 'fn main' --include='*.rs' .", "grep -c error log.txt", "grep -E 'a|b' file.txt",
    "grep -v '^#' .gitignore", "grep -A3 -B2 panic src/main.rs", "grep -l foo *.rs", "grep -rIl foo . | sort",
    "grep -rn \"rm -rf\" scripts", "grep '>' src/a.html", "grep -n 'a && b' src/a.ts", "grep \"$PATTERN\" src/a.ts",
    "egrep -o '[0-9]+' VERSION", "rg TODO", "rg -n --type rust 'fn main' src", "rg -l foo | head", "rg --files | wc -l",
    "rg --files -g '*.ts' src", "rg -uu -i needle", "rg -A 3 'struct .*Config' -g '!target'", "rg -e a -e b src", "rg foo src/*.rs",
    "fd '\\.rs$'", "fd -e toml -t f", "find . -type f -name '*.rs'", "find src -name '*.ts' -not -path '*/node_modules/*'",
    "find . \\( -name a -o -name b \\) -print", "find . -maxdepth 2 -type d | sort", "find . -mtime -1 -printf '%p\\n'",
    "find . -name '*.rs' | xargs wc -l", "find . -name '*.ts' -print0 | xargs -0 grep -l foo", "find . -newer Cargo.toml -ls",
    "find . -size +1M 2>/dev/null", "git ls-files | xargs wc -l | tail -1", "git ls-files '*.rs' | xargs cat | wc -l",
    // Little languages.
    "sed -n 10,20p src/main.rs", "sed -n '/start/,/end/p' README.md", "sed 's/a/b/g' a.txt", "sed -e 's/a/b/' -e 's/c/d/' a.txt",
    "sed '/^$/d' a.txt | head", "sed -n '$=' a.txt", "sed 5q a.txt", "sed -E 's/([a-z]+)/<\\1>/' a.txt", "cat a | sed 's|/|-|g'",
    "awk '{print $1}' data.txt", "awk -F: '{print $1, $3}' data.txt", "awk 'NR>5 && NR<10' a.txt", "awk '/foo/ {n++} END {print n}' a.txt",
    "awk -F',' -v c=2 '{s+=$c} END {printf \"%.2f\\n\", s}' data.csv", "ps aux | awk '{print $2}'", "awk '!seen[$0]++' names.txt",
    "awk '{ if ($3 > 10) print $1 }' data.txt", "jq . package.json", "jq -r '.dependencies | keys[]' package.json",
    "jq --arg v 1 '.a == $v' a.json", "cat a.json | jq '.items[] | select(.n > 3)'", "yq '.services' docker-compose.yml",
    // Git.
    "git status", "git status -s", "git status --porcelain=v1 -b", "git log", "git log --oneline -20", "git log -p -1 HEAD~2",
    "git log --format='%h %s' --since='2 weeks ago'", "git log --graph --oneline --all", "git log -S 'needle' -- src", "git log main..HEAD",
    "git log --author=me --no-merges -n 5", "git log -L 10,20:src/main.rs", "git diff", "git diff --stat", "git diff HEAD~3 HEAD -- src",
    "git diff --cached --name-only", "git diff main...feature", "git diff -U10 --no-color", "git show", "git show HEAD:src/lib.rs", "git show --stat HEAD^",
    "git show abc123 --name-only", "git branch", "git branch -a", "git branch -vv", "git branch --show-current", "git branch --list 'feat/*'",
    "git branch --contains abc123", "git branch --merged main", "git tag", "git tag -l 'v1.*'", "git tag --sort=-creatordate | head -5", "git tag -n3", "git remote",
    "git remote -v", "git remote get-url origin", "git blame src/main.rs", "git blame -L 10,20 src/main.rs", "git stash list", "git stash show -p",
    "git stash show stash@{0}", "git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --show-toplevel", "git describe --tags --always",
    "git ls-files", "git ls-files -m --others --exclude-standard", "git ls-tree -r HEAD --name-only", "git cat-file -p HEAD", "git config user.name",
    "git config --get remote.origin.url", "git config --list", "git config -l --show-origin", "git reflog", "git reflog -10", "git shortlog -sn", "git shortlog -sne --all", "git grep TODO",
    "git grep -n 'fn main' -- '*.rs'", "git merge-base main HEAD", "git rev-list --count HEAD", "git for-each-ref --format='%(refname)' refs/heads", "git worktree list",
    "git --version", "git --no-pager log -3", "git --no-pager diff", "git check-ignore -v target", "git submodule status", "git name-rev HEAD", "git diff --no-index a.txt b.txt",
    "git clean -nd", "git clean --dry-run", "git show-ref --heads", "git count-objects -vH", "git diff | cat", "GIT_PAGER=cat git log -2", "git log --oneline | grep fix",
    // Tools.
    "cargo --version", "cargo -V", "cargo metadata --no-deps --format-version 1", "cargo tree --offline", "rustc --version", "rustc -vV", "rustup show", "rustup toolchain list",
    "node --version", "node -v", "npm --version", "npm -v", "npm ls", "npm list --depth=0", "npm ls -g --depth 0", "npm root -g", "npm run", "npm config get registry", "pnpm --version", "pnpm ls",
    "pnpm why react", "yarn --version", "yarn why lodash", "python --version", "python3 -V", "pip list", "pip show requests", "pip freeze", "pip3 --version", "go version", "go env GOPATH", "go env",
    "go doc fmt.Println", "ruby -v", "java -version", "php -v", "docker ps", "docker ps -a --format '{{.Names}}'", "docker images", "docker logs --tail 50 web", "docker inspect web",
    "docker compose ps", "docker version", "docker compose logs -f web", "docker volume ls", "kubectl version --client", "kubectl config current-context", "systemctl status nginx", "systemctl is-active ssh",
    "systemctl list-units --type=service", "journalctl -u nginx -n 50 --no-pager", "ps", "ps aux", "ps -ef | grep node", "ps -o pid,cmd -p 1", "pgrep -fl node", "lsof -i :3000", "ss -tlnp", "ip addr", "ip a show",
    "lscpu", "lsblk", "make --version", "gcc --version", "tsc --version", "curl --version", "crontab -l", "dpkg -l | grep ssl", "apt list --installed", "man -k printf", "gh --version", "terraform --version", "bash --version",
    // Structure.
    "ls; pwd", "ls && pwd || echo no", "(ls; pwd)", "{ ls; pwd; }", "! grep -q foo a.txt", "ls | grep foo | wc -l", "ls 2>&1", "ls 2>/dev/null", "ls >/dev/null 2>&1", "ls &>/dev/null", "cat < README.md",
    "cat <<< 'text'", "cat <<EOF\nhello\nEOF", "cat <<'EOF' | grep a\nrm -rf /\nEOF", "for f in a b c; do echo \"$f\"; done", "for f in *.rs; do wc -l \"$f\"; done", "for i in 1 2 3; do echo $i; done",
    "for i in {1..3}; do echo $i; done", "for f in src/*.ts tests/*.ts; do head -1 \"$f\"; done", "for d in src tests; do ls $d; done", "while read -r line; do echo \"$line\"; done < names.txt",
    "cat names.txt | while read name; do echo $name; done", "if grep -q foo a.txt; then echo yes; else echo no; fi", "if [ -f a ]; then cat a; elif [ -f b ]; then cat b; fi", "case $x in a) echo a;; *) echo b;; esac",
    "echo \"$(git rev-parse HEAD)\"", "echo `date`", "echo \"branch: $(git branch --show-current)\"", "ls $(pwd)", "cat \"$(pwd)/README.md\"", "f=README.md; cat \"$f\"", "dir=src && ls \"$dir\"", "n=5; head -n $n README.md",
    "# comment", "ls # trailing comment", "ls \\\n  -la", "git log \\\n  --oneline \\\n  -5", "cat README.md \\\n | head", "timeout 5 ls", "timeout -k 1 5s git status", "time ls", "time -p ls", "nice ls", "nice -n 10 du -sh .",
    "stdbuf -oL tail -3 a.txt", "command ls", "nohup ls > /dev/null", "env LC_ALL=C sort a.txt", "LC_ALL=C sort a.txt", "LANG=C ls", "TZ=UTC date", "NO_COLOR=1 git status", "NODE_ENV=test node --version", "echo a | xargs", "echo a b | xargs -n1 echo",
    "cd src && ls", "cd src; ls", "cd packages/api && cat ../web/package.json", "cd ./src && pwd && cd .. && ls", "cd /w/project && git status", "cd src && grep -rn foo .", "(cd src && ls) && git status", "ls /w/project/src", "cat ./src/../README.md",
    "ls \"src\"", "ls 'src'/a", "\\ls", "'ls' -la", "l''s", "$'ls' src", "cat {a,b}.txt", "ls src/{api,web}", "set -e; ls", "set -euo pipefail\nls", "ls -la\npwd\ngit status", "git log | head -30\necho done && ls", "a=1\necho $a",
    "echo ${HOME}", "echo ${name:-default}", "echo ${#name}", "echo \"${file%.rs}\"", "echo 'a;b|c&d>e'", "echo \"a;b|c&d>e\"", "echo a\\;b", "echo \\$HOME", "echo '$(rm -rf /)'", "echo \"\\$(rm -rf x)\"", "/bin/ls", "/usr/bin/git status", "cat /dev/null", "ls non-existent || true",
    "echo 'é'", "grep -rn 'naïve' src", "cat 日本.txt | head", "wc -l src/**/*.rs", "ls -la src/ | awk '{print $5, $9}' | sort -n", "cat package.json | jq -r .version", "diff -u a.txt b.txt | head -50 || true",
    "[ \"$(git rev-parse --abbrev-ref HEAD)\" = main ] && echo on-main", "echo $?", "ls; echo \"exit: $?\"", "exit 0", "ls && exit 1", "cd src || exit 1; ls", "head -5 a.txt; echo ---; tail -5 a.txt", "echo done >&2", "ls 1>&2", "cat a.txt 2>&1 | tail -1",
    "printf '%s\\n' \"$x\" | sort", "test \"$a\" -gt 5", "[ -z \"$x\" ] || echo set", "[[ \"$x\" =~ ^v[0-9]+$ ]] && echo version", "uniq names.txt", "ls -l | sort -k5 -n", "git diff -- src/*.rs", "sort data/*.txt", "sed -n 1p src/*.rs",
];

/// Read-only, but outside the workspace or at a place that cannot be known.
const OUTSIDE: &[&str] = &[
    "cat /etc/passwd", "ls /", "ls ~", "ls ~/projects", "cat $HOME/.bashrc", "cat ${HOME}/.ssh/id_rsa", "cat \"$HOME\"/x", "ls ..", "cat ../x", "cat src/../../x", "grep -rn x /var/log", "find / -name x", "find .. -name x",
    "cd ..; ls", "cd .. && ls", "cd && ls", "cd ~ && ls", "cd - && ls", "cd \"$DIR\" && ls", "cd src && cat ../../x", "cat < /etc/hosts", "cat /w/project2/x", "ls /w", "cat '/etc/passwd'", "cat /etc/\"passwd\"", "cat /e''tc/passwd", "cat {/etc/passwd,x}",
    "cat $FILE", "cat \"${FILE}\"", "head -5 ~root/x", "ls ~user", "echo \"$(cat /etc/passwd)\"", "(cat /etc/passwd)", "timeout 5 cat /etc/passwd", "diff a.txt /etc/hosts", "wc -l /etc/*", "for f in /etc/passwd; do cat $f; done",
    "f=/etc/passwd; cat \"$f\"", "grep -f /etc/patterns x", "grep -rn foo --exclude-from=/etc/x .", "ls /proc", "cat /dev/sda", "cat <(cat /etc/passwd)", "test -f /etc/passwd", "[ -d /tmp/x ]", "[[ -f ~/.npmrc ]]", "git diff --no-index /etc/passwd a", "rg --files /etc", "rg foo ~/notes",
    "jq . /tmp/a.json", "sed -n 1p /etc/hosts", "awk '{print}' /etc/passwd", "sort /etc/passwd", "stat ~/.ssh", "du -sh ~", "tree /opt", "file /bin/ls", "md5sum /etc/passwd", "cat ~/../x", "cat /w/project/../x", "tail -f /var/log/syslog", "cat -- /etc/passwd", "date -r /etc/passwd", "realpath ~",
    "while read l; do echo $l; done < /etc/passwd", "cat \"$1\"", "ls $OLDPWD", "if [ -f /etc/x ]; then echo y; fi", "cd src || cat ../x", "cat src/$name/../../../x", "find ~ -maxdepth 1", "cd /w/project/src/../../.. && ls",
];

/// Not read-only.
const ACTS: &[&str] = &[
    // Writes.
    "echo x > a.txt", "echo x >> a.txt", "echo x >| a.txt", "ls &> a", "ls &>> a", "ls >& a", "ls 2> err.txt", ": > a.txt", "> a.txt", "cat a > b", "cat a >b c", "ls <> a", "ls > $OUT", "ls > \"$(pwd)/x\"", "{ ls; } > a", "(ls) > a", "for f in a; do echo $f; done > out", "if true; then ls; fi > out",
    "tee a.txt", "ls | tee out", "touch a", "mkdir d", "cp a b", "mv a b", "ln -s a b", "chmod +x a", "chown me a", "truncate -s 0 a", "dd if=a of=b", "install a b", "rsync -a a b", "sort -o a a", "sort -oa a", "sort --output=a a", "sort --outp=a a", "sort a -o b", "sort --compress-program=./x a", "uniq a b", "tree -o out", "tree -R -H . -L 1",
    "sed -i s/a/b/ f", "sed -i.bak s/a/b/ f", "sed --in-place s/a/b/ f", "sed -n -i p f", "sed -ni p f", "sed -Ei s/a/b/ f", "sed 's/a/b/w out' f", "sed 'w out' f", "sed 's/a/b/e' f", "sed '1e touch x' f", "sed -f script f", "sed 'r /etc/passwd' f", "sed -n '/x/w out' f", "sed \"$script\" f", "sed -s -i p f", "sed --expression='w x' f",
    "awk '{print > \"out\"}' a", "awk 'BEGIN{system(\"id\")}'", "awk '{print | \"sh\"}' a", "awk -f prog.awk a", "awk '{\"date\" | getline d; print d}' a", "gawk -i inplace '{print}' a", "awk \"$prog\" a", "awk '@load \"filefuncs\"; {print}' a", "perl -e 'print 1'", "perl -pi -e s/a/b/ f", "python3 -c 'print(1)'", "node -e 'console.log(1)'", "ruby -e 'puts 1'",
    "xxd -r a b", "xxd a b", "file -C -m magic", "iconv -f a -t b x -o y", "split -l 10 a", "csplit a 10", "patch -p1 < a.diff", "zip a.zip b", "unzip a.zip", "tar xf a.tar", "tar czf a.tgz src", "tar -tf a.tar --to-command=sh", "tar -I ./x -tf a", "tar tf a --checkpoint-action=exec=sh", "gzip a", "gunzip a.gz", "curl -o a https://x", "curl https://x", "wget https://x",
    "date -s '2020-01-01'", "date 010203", "date --set=x", "hostname newname", "hostname -F file", "umask 077", "ulimit -n 10", "mount /dev/sda1 /mnt", "crontab -r", "crontab file", "dmesg -c", "journalctl --vacuum-size=1M", "journalctl --rotate", "systemctl restart nginx", "systemctl stop nginx", "systemctl daemon-reload", "service nginx restart", "ss -K", "ip link set eth0 down", "ip addr add 1.2.3.4 dev eth0", "sysctl -w a=b",
    "kill 1", "kill -9 $$", "pkill node", "killall node", "rm a", "rm -rf target", "rmdir d", "unlink a", "shred a",
    // Programs that run programs.
    "find . -delete", "find . -exec rm {} +", "find . -exec cat {} \\;", "find . -execdir ls {} +", "find . -ok rm {} \\;", "find . -fprint out", "find . -fprintf out %p", "find . -fls out", "find . -name a -o -delete", "find . -name *.rs", "find $DIR -name x", "find . $ARGS", "fd -x rm", "fd -e rs -X wc", "fd --exec rm", "rg --pre ./x p", "rg --pre=./x p", "rg --hostname-bin ./x p", "rg -z p", "rg --search-zip p", "rg foo *", "rg $x",
    "xargs rm < list", "ls | xargs rm", "ls | xargs sh -c", "ls | xargs -I{} cp {} x", "ls | xargs sed -n 1p", "ls | xargs find", "ls | xargs git log", "ls | xargs -I% sh -c 'echo %'", "env sh", "env -i ls", "env FOO=bar ls", "env PATH=. ls", "env -S 'rm x'", "env LD_PRELOAD=x ls", "env rm x", "sh -c ls", "bash -c 'ls'", "bash script.sh", "bash", "sh < script", "cat x | bash", "eval ls", "eval \"$x\"",
    "source x", ". ./x", "exec ls", "sudo ls", "doas ls", "su -c ls", "watch ls", "setsid ls", "ionice ls", "flock x ls", "nohup ls", "chroot / ls", "strace ls", "busybox ls", "parallel ls", "script -c ls", "ssh host ls", "docker run x", "docker exec c ls", "docker rm x", "docker build .", "docker compose up", "kubectl apply -f x", "kubectl exec p -- ls", "npx foo", "make", "make test", "./run.sh", "scripts/x", "foo", "unknown-tool --help",
    "man -P ./x ls", "man --pager=./x ls", "less a", "vim a", "nano a", "code .", "open .", "xdg-open .", "jq -f prog.jq a", "jq --from-file prog a", "jq -L . a", "yq -i '.a=1' f", "bat --pager ./x a", "cargo test", "cargo build", "cargo run", "cargo check", "cargo fmt", "cargo clippy", "cargo install x", "cargo add x", "cargo clean", "cargo metadata", "cargo tree", "npm install", "npm i", "npm ci", "npm test", "npm run build", "npm start",
    "npm view react", "npm publish", "npm config set a b", "pnpm add x", "pnpm run lint", "yarn", "yarn build", "pip install x", "pip list --outdated", "python x.py", "python", "python -m http.server", "python -v", "node x.js", "node", "node --version -e 1", "go build", "go test ./...", "go run .", "go env -w A=b", "go get x", "rustup update", "rustc a.rs", "rustc --version -o x", "gh pr create", "gh pr view 1", "terraform plan", "terraform apply", "helm install x y", "kubectl get pods", "kubectl delete pod x",
    // Git.
    "git add .", "git commit -m x", "git push", "git pull", "git fetch", "git clone https://x", "git checkout main", "git checkout -b x", "git switch x", "git merge x", "git rebase x", "git reset", "git reset --hard", "git stash", "git stash pop", "git stash push", "git cherry-pick x", "git revert x", "git tag v1", "git tag -d v1", "git tag -a v1 -m x", "git branch x", "git branch -d x", "git branch -D x", "git branch -m x", "git branch -f x y", "git branch --edit-description",
    "git branch -u origin/x", "git branch --set-upstream-to=x", "git branch -a x", "git branch -v x", "git remote add a b", "git remote remove a", "git remote show origin", "git remote update", "git ls-remote", "git config user.name x", "git config --global user.name x", "git config --unset a", "git config -e", "git config edit", "git config set a b", "git init", "git clean -fd", "git gc", "git prune", "git rm x", "git mv a b", "git restore x", "git restore --staged x", "git submodule update", "git submodule foreach ls", "git worktree add x", "git apply x.patch", "git am x",
    "git bisect start", "git reflog expire --all", "git reflog delete x", "git notes add", "git update-ref x y", "git symbolic-ref HEAD x", "git filter-branch", "git archive -o x HEAD", "git format-patch -1", "git bundle create x HEAD", "git log --output=x", "git diff --output x", "git show --output=x", "git diff --ext-diff", "git log --textconv -p", "git diff --textconv", "git grep -O x", "git grep --open-files-in-pager=vim x", "git -c core.pager=./x log", "git -c alias.x='!rm' x", "git --exec-path=. status", "git -C .. status", "git --git-dir=x log", "git --work-tree=x status", "git -p log", "git --paginate log", "git --config-env=a=b log",
    "git cat-file --textconv HEAD:x", "git log $x", "git diff $(cat x)", "git diff *", "git lg", "git foo", "cd src && git status", "cd packages/web && git log", "cd .. && git log", "cd \"$x\" && git status", "GIT_DIR=x git log", "GIT_EXTERNAL_DIFF=x git diff", "GIT_PAGER=./x git log", "GIT_SSH_COMMAND=x git fetch", "git clean", "git clean -i", "git fsck --lost-found", "git blame --output=x", "git var GIT_EDITOR -x", "git log --open-files-in-pager",
    // Names and environment.
    "PATH=. ls", "LD_PRELOAD=./x ls", "IFS=x ls", "BASH_ENV=x ls", "PAGER=./x man ls", "RIPGREP_CONFIG_PATH=x rg foo", "LD_LIBRARY_PATH=x ls", "TZ=/etc/shadow date", "LC_ALL=../x ls", "FOO=bar ls", "PATH=.; ls", "PATH+=:. ; ls", "export A=b", "declare -x A=b", "A[0]=b", "a=(b c)", "readonly x=1", "local x", "unset PATH", "alias ls=rm", "typeset x", "let x=1", "((x=1))", "((x++))", "echo $((x=1))", "echo $((x))", "echo $((a[$(touch x)]))", "echo ${x:=y}", "echo ${x@P}", "echo ${!x}", "echo ${a[x]}", "echo ${x:$y}",
    "echo ${x:-$(touch y)}", "echo $[1+1]", "[[ -v x[0] ]]", "[ -v 'a[$(x)]' ]", "test -v 'a[$(x)]'", "[[ $x -gt 5 ]]", "[[ x -eq 'a[$(id)]' ]]", "[ $x ]", "[ \"$op\" \"$x\" ]", "printf -v x y", "printf \"$fmt\" x", "printf '%n' x", "read PATH", "read 'a[$(x)]'", "mapfile x", "trap 'rm x' EXIT", "for PATH in .; do ls; done", "f() { ls; }; f", "function ls { rm x; }; ls", "coproc ls", "ls &", "sleep 5 &", "ls & pwd", "(ls &)", "select x in a; do echo; done", "set -- a b", "shopt -s expand_aliases", "hash -p ./x ls", "enable -n test", "command rm x", "builtin eval x", "$X", "$(echo rm) x", "`echo rm` x", "\"$CMD\" x", "r$''m x", "{rm,-rf,x}", "/tmp/ls", "./ls", "~/bin/ls", "../ls",
    // Structure.
    "ls; rm x", "ls && rm x", "ls || rm x", "ls | rm x", "ls\nrm x", "(rm x)", "{ rm x; }", "if true; then rm x; fi", "for f in a; do rm $f; done", "while true; do rm x; done", "case x in x) rm x;; esac", "! rm x", "time rm x", "time -p rm x", "echo $(rm x)", "echo `rm x`", "echo \"$(rm x)\"", "cat <(rm x)", "ls > >(rm x)", "cat <<EOF\n$(rm x)\nEOF", "cat <<EOF\n`rm x`\nEOF", "cat <<< $(rm x)", "ls # x\nrm x", "ls \\\n; rm x", "r\\\nm x", "rm\\\n x", "echo a\\\n#; rm x", "ls $(cat $(rm x))", "timeout 5 rm x", "timeout $T ls", "nice rm x", "echo x | (cat > y)", "if rm x; then ls; fi", "ls |& tee x", "coproc rm x", "cat <<A <<B\na\nA\nb\nB\nrm x", "a | grep x | head -30\necho B && rm s", "echo $'a\\x27; rm x'; rm y", "[[ $(rm x) ]]", "ls ${x#$(rm y)}", "exec 3>x", "exec 3<>/dev/tcp/a/80", "cat < /dev/tcp/a/80", "echo x > /dev/tcp/a/80", "case $(rm x) in a) ;; esac", "for f in $(rm x); do ls; done", "fi; rm x", "ls;;rm x", "ls\rrm x", "ls\u{0}rm x", "ls \u{202e}x", "ls\u{200b}", "ls\u{a0}x",
];

#[test]
fn everyday_reads_do_not_ask() {
    let wrong: Vec<String> = READS
        .iter()
        .filter_map(|command| {
            let analysis = look(command);
            let allowed = analysis.read_only && !analysis.outside_workspace && analysis.destructive.is_none();
            (!allowed).then(|| format!("{command:?}: {:?}", analysis.reasons.iter().map(|reason| &reason.message).collect::<Vec<_>>()))
        })
        .collect();
    assert!(wrong.is_empty(), "{} ask:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn reads_elsewhere_ask_as_reads() {
    let wrong: Vec<String> = OUTSIDE
        .iter()
        .filter_map(|command| {
            let analysis = look(command);
            let right = analysis.read_only && analysis.outside_workspace;
            (!right).then(|| format!("{command:?}: read_only {} outside {} {:?}", analysis.read_only, analysis.outside_workspace, analysis.reasons))
        })
        .collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_acts_asks() {
    let wrong: Vec<&&str> = ACTS.iter().filter(|command| look(command).read_only).collect();
    assert!(wrong.is_empty(), "{} pass as reading:\n{wrong:#?}", wrong.len());
}

#[test]
fn what_is_not_understood_says_so() {
    for command in ["cat <<A <<B\na\nA\nb\nB\nrm x", "fi; rm x", "r\\\nm x", "select x in a; do echo; done"] {
        let analysis = look(command);
        assert!(!analysis.understood, "{command:?}");
        assert!(analysis.parts.is_empty(), "{command:?}");
        assert!(!analysis.reasons.is_empty(), "{command:?}");
    }
}
