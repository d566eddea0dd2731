//! What permission rules are matched against.

use super::look;
use crate::{Access, ReasonCode};

fn allow(command: &str) -> Vec<Vec<String>> {
    look(command)
        .parts
        .iter()
        .map(crate::CommandPart::allow_forms)
        .collect()
}

fn deny(command: &str) -> Vec<String> {
    let analysis = look(command);
    analysis
        .parts
        .iter()
        .chain(&analysis.suspected_parts)
        .flat_map(crate::CommandPart::deny_forms)
        .collect()
}

#[test]
fn allow_forms_strip_only_transparent_wrappers() {
    for command in [
        "timeout 60 cargo test",
        "timeout -k 1 -s KILL 60 cargo test",
        "time cargo test",
        "nice -n 5 cargo test",
        "nohup cargo test",
        "stdbuf -oL cargo test",
        "command cargo test",
        "builtin cargo test",
        "xargs cargo test",
        "TZ=UTC cargo test",
        "LC_ALL=C NO_COLOR=1 cargo test",
        "timeout 5 nice cargo test",
        "'cargo' te\"st\"",
        "cargo \\\n  test",
    ] {
        assert!(
            allow(command)[0].contains(&"cargo test".to_owned()),
            "{command}: {:?}",
            allow(command)
        );
    }
    for command in [
        "env cargo test",
        "sudo cargo test",
        "watch cargo test",
        "ionice cargo test",
        "setsid cargo test",
        "xargs -n1 cargo test",
        "LD_LIBRARY_PATH=./lib cargo test",
        "FOO=1 cargo test",
        "LD_PRELOAD=x TZ=UTC cargo test",
        "busybox cargo test",
        "timeout $T cargo test",
        "npx cargo test",
        "cargo 'test --all'",
        "exec cargo test",
        "./cargo test",
        "/tmp/cargo test",
    ] {
        let forms = allow(command);
        assert!(
            !forms[0].contains(&"cargo test".to_owned()),
            "{command}: {forms:?}"
        );
        assert!(
            !forms[0].contains(&"cargo test --all".to_owned()),
            "{command}: {forms:?}"
        );
    }
}

#[test]
fn some_parts_no_allow_rule_may_cover() {
    for command in [
        "$X test",
        "\"$(which cargo)\" test",
        "PATH=. cargo test",
        "timeout 5 $X",
        "cargo test \"${x@P}\"",
        "cargo test $((a[0]))",
        "[[ -v x[0] ]]",
        "((x=1))",
        "PATH=.",
    ] {
        let forms = allow(command);
        assert!(forms.iter().any(Vec::is_empty), "{command}: {forms:?}");
    }
}

#[test]
fn deny_forms_see_through_spelling() {
    for command in [
        "rm x",
        "/bin/rm x",
        "\\rm x",
        "r\"\"m x",
        "'rm' x",
        "command rm x",
        "env rm x",
        "env A=b rm x",
        "env -i rm x",
        "env -u A rm x",
        "busybox rm x",
        "sh -c \"rm x\"",
        "bash -lc 'rm x'",
        "eval rm x",
        "eval 'rm x'",
        "timeout 5 rm x",
        "if true; then rm x; fi",
        "A=b rm x",
        "sudo rm x",
        "sudo -u root rm x",
        "sudo -E A=b rm x",
        "doas rm x",
        "watch rm x",
        "watch -n 5 rm x",
        "ionice -c 3 rm x",
        "setsid rm x",
        "nohup rm x &",
        "xargs rm x",
        "xargs -n 1 rm x",
        "flock /tmp/l rm x",
        "find . -exec rm x ';'",
        "echo $(rm x)",
        "echo `rm x`",
        "cat <(rm x)",
        "r\\\nm x",
        "$'rm' x",
        "f() { rm x; }",
        "coproc rm x",
        "time -p rm x",
        "cat <<A <<B\na\nA\nb\nB\nrm x",
        "fi; rm x",
        "ls\rrm x",
        "select x in a; do rm x; done",
        "cat <<E\n$(rm x)\nE",
        "sudo sh -c 'rm x'",
        "bash -c \"sh -c 'rm x'\"",
        "exec rm x",
        "chroot / rm x",
        "! rm x",
        "sudo --weird y rm x",
        "trap 'rm x' EXIT",
        "case a in a) rm x;; esac",
        "(cd a; rm x)",
        "/usr/bin/env rm x",
        "env -S 'rm x'",
        "su root -c 'rm x'",
        "{ rm x; } > y",
        "rm  \t x",
        "nice -n 5 timeout 5 rm x",
    ] {
        let forms = deny(command);
        assert!(forms.contains(&"rm x".to_owned()), "{command:?}: {forms:?}");
    }
}

#[test]
fn quoted_text_is_not_a_command() {
    for command in [
        "echo \"rm x\"",
        "grep 'rm x' a",
        "# rm x",
        "ls # rm x",
        "cat <<'E'\nrm x\n$(rm x)\nE",
        "cat <<E\nrm x\nE",
        "echo '$(rm x)'",
        "echo \\$(ls)".split('(').next().unwrap(),
        "git commit -m 'rm x'",
        "git commit -m \"$(cat <<'E'\nrm x\nE\n)\"",
        "command -v rm x",
    ] {
        let forms = deny(command);
        assert!(
            !forms.iter().any(|form| form == "rm x"),
            "{command:?}: {forms:?}"
        );
    }
}

#[test]
fn compound_commands_give_every_part() {
    let analysis = look("cargo test 2>&1 | grep FAILED && echo \"$(git push)\"; (npm ci)");
    let words: Vec<String> = analysis
        .parts
        .iter()
        .map(|part| part.deny_forms()[0].clone())
        .collect();
    assert_eq!(
        words,
        [
            "cargo test",
            "grep FAILED",
            "git push",
            "echo \"$(git push)\"",
            "npm ci"
        ]
    );
    let read_only: Vec<bool> = analysis.parts.iter().map(|part| part.read_only).collect();
    assert_eq!(read_only, [false, true, false, true, false]);
    let nested: Vec<bool> = analysis.parts.iter().map(|part| part.nested).collect();
    assert_eq!(nested, [false, false, true, false, true]);
    assert!(analysis.understood);
}

#[test]
fn a_commit_message_in_a_here_document_is_understood() {
    let analysis = look(
        "git add -A && git commit -m \"$(cat <<'EOF'\nFix the (odd) case\n\nIt's done; see #3\nEOF\n)\" && git status",
    );
    assert!(analysis.understood, "{:?}", analysis.reasons);
    let forms: Vec<Vec<String>> = analysis
        .parts
        .iter()
        .map(crate::CommandPart::allow_forms)
        .collect();
    assert!(
        forms
            .iter()
            .flatten()
            .any(|form| form.starts_with("git commit -m "))
    );
    assert_eq!(forms.len(), 4);
}

#[test]
fn a_here_document_that_writes_a_file_is_understood() {
    let analysis = look("cat > src/a.rs <<'EOF'\nfn main() { println!(\"$x `y`\"); }\nEOF");
    assert!(analysis.understood, "{:?}", analysis.reasons);
    assert!(!analysis.read_only);
    assert_eq!(analysis.paths.len(), 1);
    assert_eq!(analysis.paths[0].access, Access::Write);
    assert!(analysis.parts[0].redirects[0].writes);
}

#[test]
fn some_wrappers_refuse_prefix_rules() {
    for command in [
        "watch ls",
        "setsid ls",
        "ionice ls",
        "flock x ls",
        "find . -exec ls {} +",
        "find . -delete",
        "timeout 5 watch ls",
        "env find . -delete",
        "find . -ok ls ';'",
        "/usr/bin/find . -delete",
    ] {
        assert!(look(command).parts[0].refuses_prefix_rules(), "{command}");
    }
    for command in ["ls", "find . -name x", "timeout 5 ls", "cargo test"] {
        assert!(!look(command).parts[0].refuses_prefix_rules(), "{command}");
    }
}

#[test]
fn criticals() {
    for command in [
        "rm -rf /",
        "rm -rf /usr",
        "rm -rf /*",
        "rm -rf ~",
        "rm -rf ~/",
        "rm -rf $HOME",
        "rm -rf \"$HOME\"",
        "rm -rf ~/*",
        "rm -rf .",
        "rm -rf ./",
        "rm -rf ..",
        "rm -rf ../",
        "rm -rf /w/project",
        "rm -rf /w",
        "rm -rf $X/*",
        "rm -rf \"$X\"/*",
        "rm -rf ${X}/",
        "rm -rf \"$X/\"",
        "sudo rm -rf /etc",
        "cd /tmp && rm -rf .",
        "find / -delete",
        "find . -delete",
        "sh -c 'rm -rf /'",
        "rm -rf src/../..",
        "rm -rf {src,/}",
        "env rm -rf /home",
        "timeout 5 rm -r /",
        "rm -rf *",
        "rm -rf ./*",
        "rm -rf -- /",
        "ls; (rm -rf ~)",
        "rm -rf /home/dev",
        "rm -rf /usr/",
        "rm -rf //usr",
        "rm -rf /./usr",
        "rm -r '/'",
        "echo / | xargs rm -rf /",
        "rm -rf ~dev",
        "rm -rf ~dev/",
        "rm -rf ~dev/*",
        "rm -rf ~root/..",
        "rm -rf /u*",
        "rm -rf /?sr",
        "rm -rf /[u]sr",
        "rm -rf /u*/",
        "rm -rf /u*/*",
        "rm -rf /home/d*",
        "rm -rf ../proj*",
        "rm -rf /w/p[r]oject",
        "rm -rf */",
        "rm -rf **",
        "rm -rf ./**",
        "rm -rf */*",
        "rm -rf .??*",
        "rm -rf $X*",
        "rm -rf $X/*/",
        "rm -rf $X/usr",
        "rm -rf /$X",
        "rm -rf $HOME/$X",
        "rm -rf \"$HOME/${X}\"",
        "rm -rf ./$X",
        "rm -rf $X",
        "rm -rf \"$(echo /)\"",
        "rm -rf ${X:-/}",
        "echo / | xargs rm -rf",
        "xargs rm -rf <<< /",
        "cat list | xargs -n1 sudo rm -r",
        "echo / | xargs -I{} rm -rf {}",
        "xargs -a list rm --recursive",
    ] {
        assert!(look(command).critical.is_some(), "{command}");
    }
    for command in [
        "rm -rf target",
        "rm -rf src/a",
        "rm a.txt",
        "rm -rf node_modules",
        "rm -rf /tmp/x",
        "rm *.log",
        "rm -rf build/*",
        "ls /",
        "find tmp -delete",
        "cp / x",
        "rm -rf ~/x",
        "rm -rf \"$X/build\"",
        "rm -rf target/*",
        "rm -rf ~dev/build",
        "rm -rf ~/proj*",
        "rm -rf src/*/",
        "rm -rf build-*",
        "rm -rf ../other*",
        "rm -rf /tmp/x*",
        "rm -rf $HOME/$X/build",
        "rm *.log.*",
        "cat list | xargs rm",
        "find . -name '*.pyc' | xargs rm -rf",
        "git ls-files -o | xargs rm -rf",
    ] {
        assert!(
            look(command).critical.is_none(),
            "{command}: {:?}",
            look(command).critical
        );
    }
}

#[test]
fn network_and_privilege_are_told() {
    for command in [
        "curl https://x",
        "git push",
        "npm install",
        "ssh h ls",
        "sh -c 'wget x'",
        "git ls-remote",
        "kubectl get pods",
        "echo > /dev/tcp/a/80",
        "sudo apt-get install x",
        "gh pr list",
    ] {
        assert!(look(command).network, "{command}");
    }
    for command in ["ls", "git status", "docker ps", "cargo build", "echo curl"] {
        assert!(!look(command).network, "{command}");
    }
    for command in [
        "sudo ls",
        "doas ls",
        "pkexec ls",
        "su -c ls",
        "echo x | sudo tee y",
        "sh -c 'sudo ls'",
    ] {
        assert!(look(command).privilege, "{command}");
    }
    assert!(!look("echo sudo").privilege);
}

#[test]
fn reasons_point_at_the_word() {
    let command = "ls && echo x > /etc/hosts";
    let analysis = look(command);
    let reason = analysis
        .reasons
        .iter()
        .find(|reason| reason.code == ReasonCode::OutsideWorkspace)
        .unwrap();
    assert_eq!(&command[reason.span.clone()], "/etc/hosts");
    assert_eq!(reason.message, "writes outside the project: `/etc/hosts`");
    let command = "git log 'é' && sort -o x y";
    let analysis = look(command);
    assert_eq!(&command[analysis.reasons[0].span.clone()], "-o");
}

#[test]
fn write_targets_are_paths() {
    let target = |command: &str| -> Vec<String> {
        look(command)
            .paths
            .iter()
            .filter(|path| path.access != Access::Read)
            .filter(|path| !path.below.as_ref().is_some_and(|below| below.perhaps))
            .map(|path| {
                path.resolved
                    .as_ref()
                    .map_or("?".to_owned(), |path| path.display().to_string())
            })
            .collect()
    };
    for (command, expected) in [
        ("echo x > .git/config", vec!["/w/project/.git/config"]),
        (
            "cd .git && echo x > config",
            vec!["/w/project/.git", "/w/project/.git/config"],
        ),
        ("tee -a .envrc", vec!["/w/project/.envrc"]),
        (
            "cp a b .husky",
            vec![
                "/w/project/.husky",
                "/w/project/.husky/a",
                "/w/project/.husky/b",
            ],
        ),
        (
            "mv a .vscode/x",
            vec!["/w/project/a", "/w/project/.vscode/x"],
        ),
        (
            "sed -i s/a/b/ .git/config x",
            vec!["/w/project/.git/config", "/w/project/x"],
        ),
        ("dd if=a of=.git/x", vec!["/w/project/.git/x"]),
        ("touch -d now a b", vec!["/w/project/a", "/w/project/b"]),
        ("curl -o .git/x https://h", vec!["/w/project/.git/x"]),
        ("curl -o.git/x https://h", vec!["/w/project/.git/x"]),
        ("rm -rf .git", vec!["/w/project/.git"]),
        ("sort a -o .git/x", vec!["/w/project/.git/x"]),
        ("sh -c 'echo x > .git/x'", vec!["/w/project/.git/x"]),
        ("echo x > $F", vec!["?"]),
        ("mkdir -p .claude/x", vec!["/w/project/.claude/x"]),
        ("sudo tee /etc/hosts", vec!["/etc/hosts"]),
        ("{ echo x; } > .git/y", vec!["/w/project/.git/y"]),
        ("ln -s a .git/hooks/x", vec!["/w/project/.git/hooks/x"]),
    ] {
        assert_eq!(target(command), expected, "{command}");
    }
}
