//! Commands that other programs run, follow, or read from elsewhere; folders that go with all in
//! them.

use adroit_protocol::permission::Mode;

use super::super::support::{ALLOW, ASK, DENY, bash, behavior, in_mode, reason};
use super::each;

#[test]
fn a_program_that_runs_another_hides_nothing() {
    each(
        "allow Bash(*); deny Bash(git push:*)",
        &[
            "prlimit --nproc=5 git push",
            "setpriv --no-new-privs git push",
            "numactl -l git push",
            "perf stat git push",
            "perf record -o x git push",
            "valgrind --tool=x git push",
            "linux64 git push",
            "setarch x86_64 git push",
            "gdb --args git push",
            "xvfb-run git push",
            "faketime 'last friday' git push",
            "sg x 'git push'",
            "sg x -c 'git push'",
            "bwrap --bind / / git push",
            "hyperfine 'git push'",
            "hyperfine --warmup 3 'git push'",
            "entr git push",
            "ls | entr -r git push",
            "nodemon --exec 'git push'",
            "nodemon --exec='git push'",
            "direnv exec . git push",
            "asdf exec git push",
            "mise exec -- git push",
            "mise x node@20 -- git push",
            "nix develop -c git push",
            "nix-shell --run 'git push'",
            "conda run -n x git push",
            "dotenv -- git push",
            "cross-env A=1 git push",
            "concurrently 'npm test' 'git push'",
            "tmux new 'git push'",
            "tmux new-session -d -s x git push",
            "tmux -c 'git push'",
            "screen -dm git push",
            "screen -dmS x sh -c 'git push'",
            "at now <<< 'git push'",
            "echo 'git push' | at now",
            "kubectl exec p -- git push",
            "kubectl -n x exec -it p -c y -- git push",
            "docker run --rm -v a:b img git push",
            "timeout 5 prlimit --nproc=5 git push",
            "prlimit --nproc=5 sh -c 'cd x && git push'",
            "xvfb-run timeout 5 git push",
            "env A=b setpriv --no-new-privs git push",
            "prlimit --x y prlimit a=b git push",
        ],
        DENY,
    );
    each(
        "allow Bash(*); deny Bash(git push:*)",
        &[
            "prlimit --nproc=5 git pull",
            "valgrind ./a.out push",
            "hyperfine 'git status'",
            "tmux ls",
            "docker run --rm img git pull",
            "GIT_EDITOR=true git commit",
            "PAGER=cat git log",
            "rsync -e ssh a b",
            "make -j4",
            "cp a b",
        ],
        ALLOW,
    );
}

#[test]
fn chains_of_programs_are_followed_once_and_then_ask() {
    let rules = "allow Bash(*); deny Bash(git push:*)";
    for link in [
        "prlimit ",
        "prlimit a ",
        "timeout 5 prlimit a b ",
        "xvfb-run valgrind ",
        "docker exec p ",
        "docker run docker exec ",
        "tmux 'a b' hyperfine 'c d' ",
        "kubectl exec docker exec podman run ",
    ] {
        for length in [10, 40] {
            let command = format!("{}git push", link.repeat(length));
            assert_ne!(behavior(rules, bash(&command)), ALLOW, "{command}");
        }
    }
}

#[test]
fn options_and_variables_that_name_programs_are_read() {
    each(
        "allow Bash(*); deny Bash(git push:*)",
        &[
            "GIT_SSH_COMMAND='git push' git fetch",
            "GIT_EDITOR='git push' git commit",
            "PAGER='git push' man ls",
            "GIT_PAGER='git push' git -p log",
            "export GIT_PAGER='git push'; git -p log",
            "GIT_PAGER='git push'; git -p log",
            "env GIT_PAGER='git push' git -p log",
            "rg --pre 'git push' x",
            "rg --pre='git push' x",
            "rsync -e 'git push' a b",
            "rsync --rsh='git push' a b",
            "zip x f -TT 'git push'",
            "git subtree push",
            "sort --compress-program='git push' f",
            "split --filter='git push' f",
            "lua -e 'os.execute(\"git push\")'",
            "perl -e 'exec qw(git push)'",
            "perl -e 'system qw/git push/'",
            "bash <(echo git push)",
            "source <(echo git push)",
            ". <(printf 'git push')",
        ],
        DENY,
    );
    each(
        "allow Bash(*); deny Read(secret.txt)",
        &[
            "perl -e 'exec qw(cat secret.txt)'",
            "tmux -c 'cat secret.txt'",
            "bash <(echo cat secret.txt)",
            "sha=$(git rev-parse HEAD); git show \"$sha:secret.txt\"",
            "GIT_PAGER='cat secret.txt' git -p log",
        ],
        DENY,
    );
}

#[test]
fn what_cannot_be_read_asks_under_a_rule_of_commands() {
    each(
        "allow Bash(*); deny Bash(git push:*)",
        &[
            "bash <(cat git-push)",
            "source <(sed s/x/push/ f)",
            "python3 <(echo git push)",
            "expect -c 'spawn git push'",
            "make -f - <<< 'a:;git push'",
            "ed <<< '!git push'",
            "echo '!git push' | ed",
            "perl -e 'exec @ARGV' git push",
            "ln -s /usr/bin/git p; ./p push",
            "cp /usr/bin/git p; ./p push",
            "hash -p /usr/bin/git p; p push",
            "GIT_PAGER=\"$x\" git -p log",
            "hyperfine \"$x\"",
        ],
        ASK,
    );
    each(
        "allow Bash(*)",
        &["make -f - <<< 'a:;ls'", "ln -s /usr/bin/git p"],
        ALLOW,
    );
}

#[test]
fn a_folder_that_goes_with_all_in_it_asks_whatever_is_allowed() {
    each(
        "allow Bash(*)",
        &[
            "mv /w/project /tmp/y",
            "mv ../project ../y",
            "mv $PWD /tmp/y",
            "mv . /tmp/y",
            "rsync -a --delete e/ /w/project",
            "rsync -a --delete e/ ~/",
            "rsync -a --delete e/ $HOME",
            "rsync -a --delete-after e/ /w",
            "rsync -a --del e/ .",
            "git -C ~ clean -fdx",
            "cd ~ && git clean -fdx",
            "rm -rf \"${x:-/}\"",
            "rm -rf ${x:=/}",
            "rm -rf \"${x:-$HOME}\"",
            "find \"$X\" -delete",
            "python3 -c 'import shutil; shutil.rmtree(\"/\")'",
            "perl -e 'use File::Path; rmtree(\"/\")'",
            "node -e 'require(\"fs\").rmSync(\"/home/dev\", {recursive: true})'",
            "ruby -e 'FileUtils.rm_rf(\"/\")'",
            "prlimit --nproc=5 rm -rf /",
        ],
        ASK,
    );
    each(
        "allow Bash(*)",
        &[
            "mv a b",
            "mv src/a lib/a",
            "mv ../project/a b",
            "rsync -a --delete dist/ out/",
            "rsync -a e/ /w/project",
            "git clean -fdx",
            "git -C sub clean -fdx",
            "python3 -c 'import shutil; shutil.rmtree(\"dist\")'",
        ],
        ALLOW,
    );
}

#[test]
fn copied_hooks_and_files_that_awk_writes_back_are_writing() {
    each(
        "allow Bash(*)",
        &[
            "git init --template=x",
            "git init --template x",
            "git init --templ=x sub",
            "git clone --template=x https://h/a.git",
            "git clone --template=x https://h/a.git b",
        ],
        ASK,
    );
    each(
        "allow Bash(*); deny Edit(lock.json)",
        &[
            "awk -i inplace 1 lock.json",
            "gawk -i inplace '{print}' a lock.json",
            "gawk --include=inplace 1 lock.json",
            "gawk -iinplace 1 lock.json",
        ],
        DENY,
    );
    each(
        "allow Bash(*)",
        &["git init", "git clone https://h/a.git b"],
        ALLOW,
    );
}

#[test]
fn what_the_shell_lists_outside_asks() {
    each(
        "",
        &[
            "ls -LR",
            "ls --dereference -R .",
            "ls -RL sub",
            "ls --deref --recur",
            "echo /etc/*",
            "echo ../*",
            "for f in /etc/*; do echo $f; done",
            "for f in ../*; do echo hi; done",
            "printf '%s' /etc/*",
            "which ../x",
            "type /etc/x",
            "shellcheck -x f",
            "shellcheck -P /x f",
        ],
        ASK,
    );
    each(
        "",
        &[
            "ls -R",
            "ls -L",
            "echo *",
            "echo src/*.rs",
            "for f in src/*; do echo $f; done",
            "which ls",
            "type ls",
            "shellcheck f",
        ],
        ALLOW,
    );
}

#[test]
fn lists_of_words_and_counts_only_compute() {
    each(
        "",
        &[
            "arr=(a b c); echo \"${arr[@]}\"",
            "files=(a.txt \"b.txt\"); echo \"${#files[@]}\"",
            "count=$(ls | wc -l); echo $((count + 1))",
            "V=$(git rev-parse HEAD) && echo $V",
        ],
        ALLOW,
    );
    each(
        "",
        &[
            "arr=($(touch x)); echo hi",
            "arr=([a[$(touch x)]]=1); echo hi",
            "arr[$(touch x)]=1; echo hi",
            "arr=(`touch x`)",
            "arr=(a <(touch x))",
            "arr=(a$((x)))",
            "PATH=(a b); ls",
            "BASH_ENV=(a); ls",
            "arr=('a[$(touch x)]'); echo $((arr))",
            "count=$(cat f); echo $((count + 1))",
            "count=$(ls | wc -l f); echo $((count + 1))",
            "count=$(ls | wc -l; cat f); echo $((count + 1))",
            "count=$(ls | wc -l || cat f); echo $((count + 1))",
        ],
        ASK,
    );
}

#[test]
fn accepted_edits_are_known_by_what_they_do() {
    let in_edits = |command: &str| in_mode(Mode::AcceptEdits, "", bash(command));
    for command in [
        "ls | tee out",
        "tee f <<< x",
        "tee -a f <<< x",
        "sed -i 's/a/b/g' f g",
        "sed -i -e 's/a/b/' -e '/x/d' f",
        "sed -n -i p f",
        "> f",
        "ls > out",
    ] {
        assert_eq!(in_edits(command), ALLOW, "{command}");
    }
    for command in [
        "tee /etc/x <<< x",
        "tee ../x <<< x",
        "tee \"$x\" <<< x",
        "tee .envrc <<< x",
        "tee >(sh) <<< x",
        "sed -i 's/a/b/e' f g",
        "sed -i -e 'w evil' f g",
        "sed -i -e '1e id' f g",
        "sed -l -i 'w evil' p",
        "sed -i 's/a/b/' ../f g",
        "sed -i 's/a/b/' .envrc g",
        "sed -i -f s f g",
        "> /etc/f",
        "> ../f",
        "> .envrc",
        "> \"$x\"",
        "> $((x))",
        "> \"$(touch y)\"",
    ] {
        assert_eq!(in_edits(command), ASK, "{command}");
    }
    assert_eq!(in_mode(Mode::Plan, "", bash("> f")), ASK);
    let words = reason("", bash("> f"));
    assert!(words.contains("writes: `f`"), "{words}");
    let words = reason("", bash("mv . /tmp/y"));
    assert!(words.contains("moves away"), "{words}");
}
