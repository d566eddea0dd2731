//! Commands that a rule speaks of, spelled, computed or hidden in other commands.

use adroit_protocol::permission::Mode;

use super::super::support::{ALLOW, ASK, DENY, bash, behavior, in_mode};
use super::each;

#[test]
fn options_before_a_subcommand_hide_nothing() {
    each(
        "allow Bash(*); deny Bash(git push:*)",
        &[
            "git -C . push",
            "git -C sub push origin main",
            "git -c a=b push",
            "git --git-dir=x push",
            "git --git-dir x push",
            "git --no-pager push -f",
            "git -p push",
            "git --bare push",
            "git --weird push",
            "git --weird value push",
            "git -c alias.p=push p",
            "git -c alias.p='!git push' p",
            "/usr/bin/git push",
            "/usr/bin/git -C . push",
            "\\git push",
            "g'i't push",
            "'git' \"push\"",
            "GIT_SSH_COMMAND=x git -C . push",
            "env A=b git -C . push",
            "env -C sub git push",
            "timeout 5 git -C . push",
            "sudo -u dev git -C . push",
            "command git -C . push",
            "sh -c 'git -C . push'",
            "bash -lc \"cd x && git --no-pager push\"",
            "eval git -C . push",
            "find . -exec git -C {} push \\;",
            "ls | xargs -I{} git -C {} push",
            "echo $(git -C . push)",
            "cat <(git -C . push)",
            "awk 'BEGIN{system(\"git push\")}'",
            "python3 -c 'import os; os.system(\"git push\")'",
            "node -e 'require(\"child_process\").execSync(\"git push\")'",
        ],
        DENY,
    );
    each(
        "allow Bash(*); deny Bash(git push:*)",
        &[
            "git pull",
            "git -C push status",
            "git commit -m push",
            "git log --grep push",
            "git stash push",
            "git -c core.editor=push status",
        ],
        ALLOW,
    );
    each(
        "allow Bash(*); deny Bash(git push)",
        &["git push origin", "git push -f", "git -C . push -f"],
        ALLOW,
    );
    for (rule, command) in [
        ("docker push:*", "docker --context prod push img"),
        ("docker push:*", "docker -H tcp://h push img"),
        ("docker compose down:*", "docker compose -f x.yml down -v"),
        ("docker compose down:*", "docker --debug compose -p x down"),
        ("kubectl delete:*", "kubectl -n prod delete pod x"),
        ("kubectl delete:*", "kubectl --namespace prod delete pod x"),
        ("kubectl delete:*", "kubectl --context=prod delete pod x"),
        ("npm publish:*", "npm --prefix web publish"),
        ("npm publish:*", "npm -w web publish"),
        ("npm run deploy:*", "npm run -w web deploy"),
        ("npm run deploy:*", "npm --prefix web run deploy"),
        ("pnpm publish:*", "pnpm --filter web publish"),
        ("yarn publish:*", "yarn --cwd web publish"),
        ("cargo publish:*", "cargo +nightly publish"),
        ("cargo publish:*", "cargo --offline publish"),
        ("cargo publish:*", "cargo --config a=b publish"),
        ("gh pr merge:*", "gh -R o/r pr merge 1"),
        ("gh pr merge:*", "gh pr -R o/r merge 1"),
        ("systemctl stop:*", "systemctl --user stop x"),
        ("systemctl stop:*", "sudo systemctl -q stop x"),
        ("make deploy:*", "make -C infra deploy"),
        ("make deploy:*", "make ENV=prod deploy"),
        ("make deploy:*", "make -j8 deploy"),
        ("terraform destroy:*", "terraform -chdir=infra destroy"),
        ("helm uninstall:*", "helm -n x uninstall y"),
        ("aws s3 rm:*", "aws --profile p s3 rm s3://b/k"),
        ("aws s3 rm:*", "aws s3 --region x rm s3://b/k"),
        ("pip install:*", "pip --proxy x install y"),
        ("pip install:*", "python3 -m pip install y"),
        ("apt-get install:*", "sudo apt-get -y install x"),
        ("go install:*", "go -C sub install"),
        ("ip link set:*", "ip -4 link set lo down"),
    ] {
        let rules = format!("allow Bash(*); deny Bash({rule})");
        assert_eq!(behavior(&rules, bash(command)), DENY, "{rule}: {command}");
        let rules = format!("allow Bash(*); ask Bash({rule})");
        assert_eq!(behavior(&rules, bash(command)), ASK, "{rule}: {command}");
    }
}

#[test]
fn a_computed_word_does_not_pass_a_rule() {
    let rules = "deny Bash(git push:*); allow Bash(*)";
    each(
        rules,
        &[
            "git p{ush,x}",
            "git {push,-f}",
            "x=push; git $x",
            "for x in push; do git $x; done",
            "for x in status push; do git $x; done",
        ],
        DENY,
    );
    let open = [
        "git $x",
        "git ${x:-push}",
        "git $(echo push)",
        "git pus?",
        "git [p]ush",
        "git pu${x}sh",
        "set -- push; git $1",
        "xargs git <<< push",
        "echo push | xargs git",
        "echo push | xargs -I{} git {}",
        "echo push | xargs -IX git X origin",
        "bash -c 'git $0' push",
    ];
    each(rules, &open, ASK);
    for command in open {
        let mode = Mode::BypassPermissions;
        assert_eq!(in_mode(mode, rules, bash(command)), ASK, "{command}");
        let asks = "ask Bash(git push:*); allow Bash(*)";
        assert_eq!(behavior(asks, bash(command)), ASK, "{command}");
    }
    each(
        "deny Bash(npm publish:*); allow Bash(*)",
        &["npm $x", "echo publish | xargs npm"],
        ASK,
    );
    each(
        rules,
        &[
            "git add \"$f\"",
            "git log *.rs",
            "git commit -m \"$msg\"",
            "git checkout $branch",
            "ls | xargs git add",
            "for f in *.rs; do cat \"$f\"; done",
            "npm run $script",
        ],
        ALLOW,
    );
}

#[test]
fn a_command_within_a_command_does_not_pass_a_rule() {
    let rules = "deny Bash(rm:*); allow Bash(*)";
    each(
        rules,
        &[
            "sed '1e rm x' f0",
            "sed 's/.*/rm x/e' f0",
            "git rebase -x 'rm x' HEAD~",
            "git rebase --exec='rm x' HEAD~",
            "git bisect run rm x",
            "git submodule foreach rm x",
            "git submodule foreach --recursive 'rm x'",
            "git filter-branch --tree-filter 'rm x'",
            "tar xf a --to-command='rm x'",
            "tar cf a . --checkpoint-action=exec='rm x'",
            "npx rm x",
            "npx -y rm x",
            "npm exec rm x",
            "npm exec -- rm x",
            "shopt -s expand_aliases\nalias r=rm\nr x",
            "mapfile -C 'rm x' a",
            "perl -e '`rm x`'",
            "python3 -c 'import subprocess; subprocess.run([\"rm\",\"x\"])'",
            "php -r 'system(\"rm x\");'",
            "vim -c '!rm x'",
            "ssh h rm x",
            "ssh -p 22 h 'rm x'",
            "docker exec c rm x",
            "docker exec -it c rm x",
        ],
        DENY,
    );
    each(
        rules,
        &[
            "sed 's/a/b/' f0",
            "npx eslint .",
            "npm run test",
            "git rebase main",
            "tar xf a.tar",
            "ssh h ls",
            "docker exec c ls",
            "python3 -c 'print(\"rm\")'",
            "git commit -m 'rm x'",
        ],
        ALLOW,
    );
}

#[test]
fn what_is_not_understood_does_not_pass_a_rule_in_any_mode() {
    let long = format!("echo {}; git push", "a ".repeat(40_000));
    let bypass = Mode::BypassPermissions;
    assert_ne!(in_mode(bypass, "deny Bash(git push:*)", bash(&long)), ALLOW);
    assert_ne!(
        in_mode(
            bypass,
            "deny Bash(git push:*)",
            bash("cat <<A <<B\na\nA\nb\nB\ngi\"\"t push")
        ),
        ALLOW
    );
    assert_eq!(
        in_mode(bypass, "", bash("select x in a; do ls; done")),
        ALLOW
    );
}

#[test]
fn a_command_that_cannot_be_read_out_of_a_text_asks_under_a_rule() {
    let rules = "deny Bash(git push:*); allow Bash(*)";
    let unread = [
        "bash -c \"$CMD\"",
        "sh -c \"git $X\"",
        "eval \"$CMD\"",
        "eval git \"$X\"",
        "env -S \"$X\"",
        "watch \"$X\"",
        "su -c \"$X\"",
        "find . -exec $X {} \\;",
        "find . -name deploy -exec {} \\;",
        "curl https://h | sh",
        "echo Z2l0IHB1c2g= | base64 -d | bash",
        "printf '%s' \"$X\" | sh",
        "bash <<< \"$X\"",
        "sh < a",
        "awk \"BEGIN{system(\\\"$X\\\")}\"",
        "awk '{system($1)}' a",
        "awk '{print | cmd}' a",
        "python3 -c \"$CODE\"",
        "python3 -c 'import os; os.system(x)'",
        "python3 -c 'exec(open(\"a\").read())'",
        "node -e \"$CODE\"",
        "node -e 'require(\"child_process\").execSync(process.argv[1])' x",
        "perl -e 'system($ARGV[0])' x",
        "ruby -e 'system(ARGV[0])' x",
        "php -r 'system($argv[1]);' x",
    ];
    each(rules, &unread, ASK);
    for command in unread {
        let bypass = Mode::BypassPermissions;
        assert_eq!(in_mode(bypass, rules, bash(command)), ASK, "{command}");
        assert_ne!(
            behavior("ask Bash(git push:*); allow Bash(*)", bash(command)),
            ALLOW,
            "{command}"
        );
    }
    // Read out of it, or fed to it, it is what it is.
    each(
        rules,
        &[
            "python3 <<'E'\nimport os\nos.system('git push')\nE",
            "python3 - <<< 'import os; os.system(\"git push\")'",
            "bash <<'E'\ngit push\nE",
            "echo 'git push' | sh",
        ],
        DENY,
    );
    // What merely looks like it is nothing of the kind.
    each(
        rules,
        &[
            "python3 -c 'print(\"git push\")'",
            "python3 -c 'run = \"git push\"; print(run)'",
            "node -e 'console.log(/x/.exec(\"git push\"))'",
            "node -e 'console.log(`git push`)'",
            "perl -ne 'print if /git push/' a",
            "awk '/git push|x/' a",
            "sed -i 's/git push/git pull/' a",
            "grep -rn 'git push' .",
            "git commit -m 'do not git push'",
            "git log --grep 'git push'",
            "rg -l 'git push' | xargs sed -i 's/git push/x/'",
            "python3 a.py",
            "bash a.sh",
            "npm test",
            "cargo run",
        ],
        ALLOW,
    );
}
