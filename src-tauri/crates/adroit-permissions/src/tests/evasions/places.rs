//! Protected and critical places, by other roads.

use adroit_protocol::permission::Mode;

use super::super::support::{ALLOW, ASK, DENY, bash, behavior, in_mode, reason};
use super::each;

#[test]
fn protected_and_critical_paths_ask_by_any_road() {
    for mode in [Mode::Default, Mode::BypassPermissions, Mode::AcceptEdits] {
        for command in [
            "find .git -delete",
            "find .git -type f -exec rm {} +",
            "find .git -type f | xargs rm",
            "find / -exec rm {} \\;",
            "find / -name core -delete",
            "find ~ -delete",
            "find . -delete",
            "find / | xargs rm",
            "rm -rf ~dev",
            "rm -rf /u*",
            "rm -rf */",
            "rm -rf $X*",
            "echo / | xargs rm -rf",
            "tar -C .git -xf a.tar",
            "tar xf a.tar -C .git/hooks",
            "tar xf a.tar .git/hooks/pre-push",
            "rsync -a x/ .git/",
            "rsync -a host:x .git/hooks",
            "scp host:x .git/hooks/pre-push",
            "split -l 1 x .git/hooks/pre-",
            "awk '{print > \".git/hooks/pre-push\"}' x",
            "sed 'w .git/hooks/pre-push' x",
            "sed -n 's/a/b/w .git/config' x",
            "cp x .git/hooks/pre-push",
            "install -m 755 x .git/hooks/pre-push",
            "dd of=.git/config",
            "ln -sf ../x .git/hooks/pre-push",
            "python3 -c 'open(\".git/hooks/pre-push\", \"w\")'",
            "git config core.hooksPath x",
            "git config --local core.fsmonitor ./x",
            "git config set core.pager ./x",
            "git config alias.st '!x'",
            "git config --global core.editor ./x",
            "git config --add include.path ../x",
            "git config filter.x.clean ./y",
            "mv / x",
            "mv ~ x",
            "mv ~/ x",
            "mv /usr x",
            "chmod -R 777 /",
            "chmod -R 000 ~",
            "chown -R dev /",
            "sudo chown -R dev:dev /usr",
            "chgrp --recursive x /etc",
            "setfacl -R -m u:x:rwx /",
            "rm -rf /",
            "rm -r -- /",
            "sh -c 'mv / x'",
            "echo x | tee .git/config",
            "sed -i s/a/b/ .git/config",
            "mkdir -p .claude/commands",
        ] {
            assert_eq!(
                in_mode(mode, "allow Bash(*); allow Edit", bash(command)),
                ASK,
                "{mode:?} {command}: {}",
                reason("allow Bash(*); allow Edit", bash(command))
            );
        }
    }
    each(
        "allow Bash(*)",
        &[
            "git config user.name x",
            "git config --get core.hooksPath",
            "chmod -R 755 src",
            "chmod -R u+w .",
            "mv src lib",
            "mv * lib",
            "find . -name '*.pyc' -exec rm {} +",
            "find . -name '*.pyc' | xargs rm",
            "tar xf a.tar",
            "tar cf a.tar .git",
            "rsync -a .git/ copy/",
            "cp .git/config x",
        ],
        ALLOW,
    );
}

#[test]
fn a_copy_into_a_folder_is_told_by_its_name_there() {
    for command in [
        "cp -r evil/.git .",
        "cp -r evil/.claude .",
        "cp evil/.envrc .",
        "cp evil/.envrc sub",
        "cp evil/.ENVRC sub",
        "cp -t . evil/.mcp.json",
        "cp --target-directory=. evil/.mcp.json",
        "cp -r evil/. .",
        "cp -r evil/. sub",
        "cp -r evil/.g* .",
        "cp -r evil/.[a-z]* .",
        "cp evil/* .",
        "cp -r .. sub",
        "cp -r evil/.git/ .",
        "cp a b evil/.bashrc sub",
        "mv evil/.git .",
        "mv evil/.envrc sub/",
        "mv -t sub evil/.envrc",
        "cp \"$X/.envrc\" .",
        "cp $X sub",
        "cp --parents .git/hooks/x sub/",
    ] {
        assert_eq!(
            in_mode(Mode::AcceptEdits, "", bash(command)),
            ASK,
            "{command}"
        );
    }
    for command in [
        "rsync -a evil/.git .",
        "rsync -a evil/ .",
        "rsync -a h:.git .",
        "install evil/.envrc .",
        "ln -s evil/.git .",
        "ln -s evil/.git",
        "scp h:.envrc .",
    ] {
        let bypass = Mode::BypassPermissions;
        assert_eq!(in_mode(bypass, "", bash(command)), ASK, "{command}");
    }
    for command in [
        "cp a b",
        "cp -r src lib",
        "cp -r src lib/",
        "mv a.txt sub/",
        "cp *.png public/",
        "cp README.md docs",
        "cp -T a.txt b.txt",
    ] {
        assert_eq!(
            in_mode(Mode::AcceptEdits, "", bash(command)),
            ALLOW,
            "{command}"
        );
    }
    // A name there is as good as a name here.
    let deny = "deny Edit(sub/secret.txt); allow Bash(*)";
    assert_eq!(behavior(deny, bash("cp x/secret.txt sub/")), DENY);
    assert_eq!(behavior(deny, bash("cp x/secret.txt sub")), ASK);
    assert_eq!(behavior(deny, bash("cp x/other.txt sub/")), ALLOW);
}

#[test]
fn files_that_options_name_are_written() {
    for command in [
        "git config -f .git/config core.hooksPath x",
        "git config -f.git/config user.name x",
        "git config --file .git/config user.name x",
        "git config --file=.git/config user.name x",
        "git config --fil=.git/config user.name x",
        "git config set -f .git/config user.name x",
        "git config set --file=.git/config user.name x",
        "git config unset -f .git/config user.name",
        "git log --output=.git/config",
        "git log --outp=.git/config",
        "git diff --output .git/hooks/x",
        "git diff --output=.envrc",
        "git show --output=.git/hooks/x HEAD",
        "git format-patch -o .git/hooks",
        "git archive --output=.git/hooks/x HEAD",
        "tar -xf a --one-top-level=.git/hooks",
        "touch $X/.git/hooks/a",
        "touch \"$X\"/.envrc",
        "echo x > $X/.git/config",
    ] {
        for mode in [Mode::Default, Mode::BypassPermissions] {
            let rules = "allow Bash(*); allow Edit";
            assert_eq!(in_mode(mode, rules, bash(command)), ASK, "{command}");
        }
    }
    each(
        "allow Bash(*)",
        &[
            "git config -f .git/config --get user.name",
            "git config -f .git/config -l",
            "git config -f other user.name x",
            "git diff --output=a.patch",
            "touch $X/a",
        ],
        ALLOW,
    );
}

#[test]
fn a_removal_of_what_nobody_knows_asks_in_every_mode() {
    for command in [
        "rm -rf $X",
        "rm -fr \"$X\"",
        "rm -r -- $X",
        "rm --rec \"$X\"",
        "rm --recursive --force \"$DIR\"",
        "rm -rf \"$(echo /)\"",
        "rm -rf `echo /`",
        "rm -rf ${X:-/}",
        "rm -rf \"$DIR\"/*",
        "rm -rf \"$DIR\"/",
        "rm -rf build \"$X\"",
        "rm $OPTIONS build",
        "rm -rf \"$A/$B\"",
        "for d in $(ls); do rm -rf \"$d\"; done",
        "while read -r d; do rm -rf \"$d\"; done < list",
        "find $X -delete",
        "find \"$X\" -name '*.o' -delete",
        "find \"$X\" -exec rm -rf {} +",
        "chmod -R 777 $X",
        "chown -R me \"$X\"",
        "sudo rm -rf $X",
        "bash -c 'rm -rf $X'",
        "command rm -rf $X",
        "true && rm -rf $X",
    ] {
        for mode in [Mode::Default, Mode::BypassPermissions] {
            let rules = "allow Bash(*); allow Edit";
            assert_eq!(in_mode(mode, rules, bash(command)), ASK, "{command}");
        }
    }
    let could_be_anything = reason("allow Bash(*)", bash("rm -rf $X"));
    assert!(
        could_be_anything.contains("could be anything"),
        "{could_be_anything}"
    );
    each(
        "allow Bash(*)",
        &[
            "d=build; rm -rf \"$d\"",
            "rm -rf \"$DIR/node_modules\"",
            "rm -f \"$f\"",
            "rm -- \"$f\"",
            "for f in *.tmp; do rm -rf \"$f\"; done",
            "rm -rf build/$X",
            "rmdir \"$d\"",
            "mv \"$a\" \"$b\"",
            "chmod 644 \"$f\"",
        ],
        ALLOW,
    );
}

#[test]
fn what_git_writes_counts_from_where_it_was_sent() {
    for command in [
        "git -C .git log --output=config",
        "git -C .git/hooks archive -o pre-push HEAD",
        "git -C .git -C hooks diff --output=pre-push",
        "git --work-tree=.git checkout HEAD -- config",
        "git --work-tree .git checkout HEAD -- config",
        "git -C sub config core.hooksPath x",
        "git -C . config -f .git/config user.name x",
        "git -c a.b=c config --file .git/config user.name x",
        "git --no-pager config set -f .git/config user.name x",
        "git -P log --output=.git/config",
        "git --git-dir=x -C .git/hooks show --output=pre-push",
        "GIT_DIR=x git -C .git log --output=config",
    ] {
        for mode in [Mode::Default, Mode::BypassPermissions] {
            let rules = "allow Bash(*); allow Edit";
            assert_eq!(in_mode(mode, rules, bash(command)), ASK, "{command}");
        }
    }
    each(
        "allow Bash(*)",
        &[
            "git -C sub log --output=a.patch",
            "git -C sub add .",
            "git -C sub config user.name x",
        ],
        ALLOW,
    );
}
