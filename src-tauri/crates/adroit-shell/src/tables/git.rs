//! Git, per subcommand.
//!
//! Not in any list, because they write or run programs: `--output`,
//! `--ext-diff`, `--textconv`, `--open-files-in-pager`, `--upload-pack`,
//! `--exec`, and before the subcommand `-c`, `-C`, `--git-dir`, `--work-tree`,
//! `--exec-path`, `--config-env`, `--paginate`.

use super::row::{Check, Depth, Row, acts, free, listed};
use crate::types::Sight;

/// Listing flags without which an operand of `git branch` creates a branch.
const LISTS: &str = "--list -l --contains --no-contains --merged --no-merged --points-at";

const REFS: &str = "-a -r -l -v -q -i --all --remotes --list --verbose --show-current --sort= --format= \
         --merged? --no-merged? --contains? --no-contains? --points-at? --column? \
         --no-column --color? --no-color --abbrev= --no-abbrev --ignore-case --omit-empty";

macro_rules! diff {
    () => {
        "-p -u -s -z -a -b -w -W -R -D -0 -1 -2 -3 -U= -X? -B? -M? -C? -l= -S= -G= -O?@ -I= \
         --patch --no-patch --unified= --raw --patch-with-raw --minimal --patience \
         --histogram --diff-algorithm= --anchored= --stat? --compact-summary --numstat \
         --shortstat --dirstat? --cumulative --summary --patch-with-stat --name-only \
         --name-status --submodule? --color? --no-color --color-moved? --no-color-moved \
         --color-words? --word-diff? --word-diff-regex= --no-renames --rename-empty --check \
         --full-index --binary --abbrev? --no-abbrev --find-renames? --find-copies? \
         --find-copies-harder --pickaxe-all --pickaxe-regex --diff-filter= --relative? \
         --no-relative --text --ignore-space-at-eol --ignore-cr-at-eol --ignore-space-change \
         --ignore-all-space --ignore-blank-lines --ignore-matching-lines= \
         --inter-hunk-context= --function-context --exit-code --quiet --ignore-submodules? \
         --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= \
         --no-ext-diff --no-textconv --skip-to= --rotate-to= --irreversible-delete \
         --indent-heuristic --no-indent-heuristic --ws-error-highlight= --break-rewrites? \
         --ita-invisible-in-index"
    };
}

macro_rules! log {
    () => {
        concat!(
            diff!(),
            " -n= -i -E -F -P -g -c -m -t -r -L= --oneline --graph --no-graph --all --decorate? \
         --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations \
         --source --max-count= --skip= --since= --after= --until= --before= --author= \
         --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case \
         --basic-regexp --extended-regexp --fixed-strings --perl-regexp --merges --no-merges \
         --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent \
         --exclude-first-parent-only --not --branches? --tags? --remotes? --glob= --exclude= \
         --exclude-hidden= --reflog --walk-reflogs --boundary --simplify-by-decoration \
         --simplify-merges --full-history --dense --sparse --show-pulls --ancestry-path? \
         --date-order --author-date-order --topo-order --reverse --pretty? --format= \
         --abbrev-commit --no-abbrev-commit --date= --relative-date --parents --children \
         --left-right --cherry --cherry-pick --cherry-mark --left-only --right-only --follow \
         --full-diff --log-size --no-walk? --do-walk --notes? --no-notes --mailmap \
         --no-mailmap --use-mailmap --no-use-mailmap --cc --encoding= --remove-empty --merge \
         --bisect --show-linear-break? --in-commit-order --diff-merges= --no-diff-merges \
         --dd --expand-tabs? --no-expand-tabs --count --objects --timestamp \
         --no-commit-header --ignore-missing --unpacked "
        )
    };
}

pub(super) const ROWS: &[Row] = &[
    listed(
        "git",
        "",
        "-v --version --help -h --html-path --man-path --info-path --exec-path",
    ),
    listed(
        "git version|git help",
        "",
        "--build-options -a -g --all --guides",
    ),
    listed(
        "git status",
        "g*",
        "-s -b -v -u? -z --short --branch --porcelain? --long --verbose --untracked-files? \
         --ignored? --ignore-submodules? --column? --no-column --ahead-behind \
         --no-ahead-behind --renames --no-renames --find-renames? --show-stash",
    )
    .tells(Sight::Names),
    listed(
        "git diff",
        "g*",
        concat!(
            diff!(),
            " --cached --staged --merge-base --no-index --base --ours --theirs --cc -c --no-walk"
        ),
    )
    .digits(),
    listed(
        "git log|git show|git whatchanged|git rev-list|git reflog|git reflog show|git stash \
         list",
        "g*",
        log!(),
    )
    .digits(),
    listed(
        "git shortlog",
        "g*",
        concat!(
            "-s -n -e -c -w? --summary --numbered --email --committer --group= ",
            log!()
        ),
    ),
    acts(
        "git reflog expire|git reflog delete|git reflog drop|git reflog write|git submodule foreach",
        "t*",
        "",
    ),
    listed(
        "git stash show",
        "t",
        concat!(diff!(), " --include-untracked --only-untracked"),
    ),
    listed(
        "git diff-tree|git diff-index|git diff-files|git range-diff|git cherry|git show-branch",
        "g*",
        concat!(
            log!(),
            " --cached --root --no-commit-id --stdin --creation-factor= --no-dual-color \
         --left-only --right-only -v --current --sha1-name --no-name --topics --independent \
         --merge-base"
        ),
    )
    .digits(),
    listed(
        "git blame|git annotate",
        "g*",
        "-L= -l -t -s -e -f -n -p -w -M? -C? -b -c --since= --show-stats --score-debug \
         --show-name --show-number --show-email --porcelain --line-porcelain --incremental \
         --root --reverse= --first-parent --date= --ignore-rev= --ignore-revs-file=@ \
         --abbrev= --color-lines --color-by-age --minimal --contents=@ --encoding= \
         --no-progress",
    ),
    listed("git branch", "t*", REFS).check(Check::ListingOperands(LISTS)),
    listed(
        "git tag",
        "t*",
        "-l -n? -i --list --sort= --format= --merged? --no-merged? --contains? \
         --no-contains? --points-at? --column? --no-column --color? --ignore-case \
         --omit-empty",
    )
    .check(Check::ListingOperands(
        "--list -l --contains --no-contains --merged --no-merged --points-at -n",
    )),
    listed("git remote", "", "-v --verbose"),
    listed("git remote get-url", "t", "--push --all"),
    // With a name it asks the server.
    listed("git remote show", "", ""),
    listed("git remote show", "t*", "-n").check(Check::NeedsFlag("-n")),
    listed("git ls-remote", "t", "--get-url").check(Check::NeedsFlag("--get-url")),
    listed("git archive", "", "-l --list").check(Check::NeedsFlag("-l --list")),
    listed(
        "git format-patch",
        "g*",
        concat!(
            log!(),
            " --stdout -k --keep-subject --signoff --subject-prefix= --thread? --no-thread \
         --in-reply-to= --no-numbered --numbered --start-number= --zero-commit --no-signature \
         --signature= --rfc"
        ),
    )
    .digits()
    .check(Check::NeedsFlag("--stdout")),
    listed("git verify-pack", "p*", "-v -s --verbose --stat-only"),
    listed("git bundle list-heads|git bundle verify", "p", "-q --quiet"),
    listed("git patch-id", "", "--stable --unstable --verbatim"),
    listed(
        "git rerere status|git rerere diff|git rerere remaining",
        "",
        "",
    ),
    listed("git hash-object", "p*", "--no-filters --stdin -t=")
        .check(Check::NeedsFlag("--no-filters")),
    // With a second operand it writes.
    listed(
        "git config",
        "t",
        "-l -z --list --get --get-all --get-regexp --get-urlmatch --global --system --local \
         --worktree --show-origin --show-scope --name-only --null --type= --bool --int \
         --path --default= --includes --no-includes -f=@ --file=@ --blob= --no-type \
         --bool-or-int --get-color --get-colorbool",
    ),
    listed(
        "git config get|git config list",
        "t",
        "-z --all --global --system --local --worktree --show-origin --show-scope \
         --name-only --null --type= --bool --int --path --default= --includes --no-includes \
         --regexp --value= --fixed-value --url= -f=@ --file=@",
    ),
    acts(
        "git config edit|git config set|git config unset|git config rename-section|git \
         config remove-section",
        "t*",
        "",
    ),
    free("git rev-parse", "g*", ""),
    free(
        "git ls-files",
        "g*",
        "-x= -X=@ --exclude= --exclude-from=@ --exclude-per-directory= --format= --with-tree=",
    )
    .tells(Sight::Names),
    free(
        "git ls-tree|git merge-base|git name-rev|git show-ref|git count-objects|git \
         check-ref-format|git stripspace",
        "g*",
        "--format= --abbrev= --refs= --exclude=",
    ),
    free(
        "git for-each-ref",
        "t*",
        "--format= --sort= --count= --points-at= --exclude= --contains= --merged= \
         --no-merged= --no-contains=",
    ),
    free(
        "git check-ignore|git check-attr|git check-mailmap",
        "g*",
        "--source= --mailmap-file=@ --mailmap-blob=",
    )
    .tells(Sight::Existence),
    listed(
        "git cat-file",
        "g*",
        "-t -s -e -p -Z --batch? --batch-check? --batch-all-objects --unordered --buffer \
         --follow-symlinks --mailmap --use-mailmap",
    ),
    listed(
        "git describe",
        "g*",
        "--tags --all --long --dirty? --broken? --always --abbrev= --candidates= \
         --exact-match --match= --exclude= --contains --first-parent --debug",
    ),
    listed("git var", "t", "-l"),
    // With a second operand it writes.
    listed(
        "git symbolic-ref",
        "t",
        "--short -q --quiet --recurse --no-recurse",
    ),
    listed(
        "git fsck",
        "t*",
        "--full --strict --dangling --no-dangling --unreachable --connectivity-only \
         --no-progress --root --cache --no-full",
    ),
    listed("git worktree list", "", "-v --verbose --porcelain -z"),
    listed("git submodule", "", "--cached --recursive -q --quiet"),
    listed(
        "git submodule status|git submodule summary",
        "g*",
        "--cached --recursive -q --quiet --files",
    ),
    listed(
        "git notes list|git notes show|git bisect log|git sparse-checkout list|git lfs \
         ls-files|git lfs env|git lfs version",
        "g*",
        "-l -s",
    ),
    listed("git notes", "", ""),
    listed(
        "git column",
        "",
        "--command= --mode= --width= --indent= --nl= --padding=",
    ),
    listed("git show-index", "", "--object-format="),
    listed(
        "git merge-file",
        "ppp",
        "-p --stdout -q --quiet --ours --theirs --union -L= --diff3 --zdiff3 --marker-size=",
    )
    .check(Check::NeedsFlag("-p --stdout")),
    // With `--only-input` nothing of the configuration is applied.
    listed(
        "git interpret-trailers",
        "p*",
        "--parse --only-trailers --only-input --unfold --no-divider",
    )
    .check(Check::NeedsFlag("--parse --only-input")),
    // Not here: `--export-marks`, which writes.
    listed(
        "git fast-export",
        "g*",
        "--all --progress= -M -C --no-data --full-tree --anonymize --use-done-feature \
         --show-original-ids --reencode= --refspec= --import-marks=@ --branches --tags",
    ),
    // Not here: `-O`, which opens a pager.
    listed(
        "git grep",
        "tg*",
        "-a -i -I -w -v -h -H -E -G -P -F -n -l -L -z -o -c -p -W -q -r -A= -B= -C= -m= \
         -f=@! -e=! --text --full-name --line-number --column --files-with-matches \
         --name-only --files-without-match --null --only-matching --count --color? \
         --no-color --break --heading --show-function --function-context --after-context= \
         --before-context= --context= --max-count= --threads= --and --or --not --all-match \
         --quiet --cached --untracked --no-index --exclude-standard --no-exclude-standard \
         --recurse-submodules --max-depth= --recursive --no-recursive --ignore-case \
         --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp \
         --fixed-strings",
    )
    .digits()
    .depth(Depth::Flags("--no-index --untracked")),
    listed(
        "git clean",
        "g*",
        "-n -d -x -X -q -f -e= --dry-run --quiet --exclude= --force",
    )
    .check(Check::NeedsFlag("-n --dry-run")),
    listed(
        "git apply",
        "p*",
        "--stat --numstat --summary --check -p= -R -v -q --reverse --verbose",
    )
    .check(Check::NeedsFlag("--stat --numstat --summary --check")),
    // What the rest does with its words.
    acts(
        "git fetch|git pull|git push|git ls-remote|git remote update|git remote prune",
        "t*",
        "-o= --upload-pack= --receive-pack= --exec=",
    )
    .network(),
    acts(
        "git clone",
        "tw",
        "-b= -o= -c= -u= --branch= --origin= --depth= --reference=@ --separate-git-dir=> \
         --template=@ --jobs= -j=",
    )
    .network(),
    acts("git submodule update|git submodule add", "tw", "").network(),
    acts("git add|git stage", "p*", "--chmod= --pathspec-from-file=@"),
    acts(
        "git commit|git notes|git merge|git rebase|git cherry-pick|git revert|git am|git tag|\
         git branch",
        "t*",
        "-m= -F=@ -C= -c= -t=@ --message= --file=@ --author= --date= --fixup= --squash= \
         --template=@",
    ),
    acts(
        "git checkout|git restore|git checkout-index",
        "G*",
        "-b= -B= --orphan= --conflict= -s= --source= --pathspec-from-file=@ --prefix=>",
    ),
    acts("git rm", "r*", "--pathspec-from-file=@"),
    acts("git mv", "r*w", ""),
    acts(
        "git init",
        "w",
        "-b= --initial-branch= --template=@ --separate-git-dir=>",
    ),
    acts("git worktree add", "wt*", "-b= -B="),
    acts("git worktree remove", "r", ""),
    acts(
        "git archive",
        "t*",
        "-o=> --output=> --format= --prefix= --remote= --exec=",
    ),
    acts("git format-patch", "t*", "-o=> --output-directory=>"),
    acts("git bundle create", "wt*", ""),
];

/// Settings whose value git runs, loads or includes. `*` is any text.
pub(crate) const RUNS_PROGRAMS: &str = "core.hookspath core.fsmonitor core.pager core.editor core.sshcommand core.askpass \
     core.gitproxy core.attributesfile core.alternaterefscommand core.worktree alias.* filter.* \
     diff.external diff.*.command diff.*.textconv merge.*.driver credential.* gpg.program \
     gpg.*.program include.path includeif.* init.templatedir sequence.editor pager.* \
     uploadpack.packobjectshook url.* submodule.*.update remote.*.uploadpack \
     remote.*.receivepack remote.*.vcs remote.*.url remote.*.pushurl browser.*.cmd \
     browser.*.path difftool.* mergetool.* trailer.*.command trailer.*.cmd \
     interactive.difffilter man.*.cmd man.*.path tar.*.command sendemail.* protocol.* \
     guitool.* http.proxy imap.tunnel";

/// Settings that change only how git prints, for `git -c`. `*` is any text.
const PRINTS: &str = "color.* core.quotepath core.abbrev log.date log.decorate log.abbrevcommit \
     log.follow diff.renames diff.renamelimit diff.algorithm diff.context diff.interhunkcontext \
     diff.noprefix diff.mnemonicprefix diff.colormoved diff.wserrorhighlight diff.relative \
     status.short status.branch status.relativepaths status.showuntrackedfiles status.aheadbehind \
     advice.* column.* grep.linenumber grep.column grep.patterntype i18n.logoutputencoding \
     merge.conflictstyle blame.date blame.coloring tag.sort branch.sort";

/// Whether `git -c setting` changes only how git prints: no pager, no program, no path.
pub(crate) fn is_harmless_setting(setting: &str) -> bool {
    let (key, value) = match setting.split_once('=') {
        Some((key, value)) => (key.to_ascii_lowercase(), Some(value)),
        None => (setting.to_ascii_lowercase(), None),
    };
    let prints = PRINTS
        .split_ascii_whitespace()
        .any(|known| match known.strip_suffix('*') {
            Some(head) => key.starts_with(head) && !key[head.len()..].contains('.'),
            None => key == known,
        });
    let no_pager = (key == "core.pager" && value == Some("cat"))
        || (key.starts_with("pager.") && matches!(value, Some("false" | "cat")));
    prints || no_pager
}
