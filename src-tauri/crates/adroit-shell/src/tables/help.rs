//! Which subcommands of a tool are its own, so that `docker run --help` explains
//! and starts nothing. A name that is not here may be a plugin, an alias or a script.

/// Tools with their subcommands; after one with a `*` comes one of its own verbs.
const TOOLS: &[(&str, &str)] = &[
    (
        "cargo",
        "add bench build check clean clippy doc fetch fix fmt generate-lockfile init install \
         locate-project login logout metadata new owner package pkgid publish read-manifest \
         remove report run rustc rustdoc search test tree uninstall update vendor \
         verify-project version yank",
    ),
    (
        "rustup",
        "show update check default toolchain* target* component* override* run which doc man \
         self* set* completions",
    ),
    (
        "docker",
        "run exec ps build bake pull push images login logout search version info attach commit \
         cp create diff events export history import inspect kill load logs pause port rename \
         restart rm rmi save start stats stop tag top unpause update wait builder* checkpoint* \
         container* context* image* manifest* network* plugin* system* trust* volume* swarm* \
         service* stack* node* secret* config* compose* buildx*",
    ),
    (
        "podman",
        "run exec ps build pull push images login logout search version info cp create inspect \
         kill logs rm rmi start stop tag container* image* network* pod* volume* system* \
         machine*",
    ),
    (
        "docker-compose",
        "build config create down events exec images kill logs pause port ps pull push restart \
         rm run start stop top unpause up version",
    ),
    (
        "kubectl",
        "create* expose run set* explain get edit delete rollout* scale autoscale certificate* \
         cluster-info* top* cordon uncordon drain taint describe logs attach exec port-forward \
         proxy cp auth* debug events diff apply* patch replace wait kustomize label annotate \
         completion api-resources api-versions config* plugin* version",
    ),
    (
        "helm",
        "completion create dependency* env get* history install lint list package plugin* pull \
         push registry* repo* rollback search* show* status template test uninstall upgrade \
         verify version",
    ),
    (
        "terraform",
        "init validate plan apply destroy console fmt force-unlock get graph import login logout \
         metadata output providers* refresh show state* taint test untaint version workspace*",
    ),
    (
        "gh",
        "auth* browse codespace* gist* issue* org* pr* project* release* repo* cache* run* \
         workflow* alias* api attestation* completion config* extension* gpg-key* label* \
         ruleset* search* secret* ssh-key* status variable*",
    ),
    (
        "npm",
        "access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag \
         docs doctor edit exec explain explore find-dupes fund help-search hook init install \
         install-ci-test install-test link login logout ls org outdated owner pack ping pkg \
         prefix profile prune publish query rebuild repo restart root run run-script sbom search \
         set shrinkwrap star start stop team test token uninstall unpublish unstar update \
         version view whoami",
    ),
    (
        "pnpm",
        "add audit config* deploy dlx exec fetch import init install link list outdated pack \
         patch prune publish rebuild remove root store* unlink update why",
    ),
    (
        "yarn",
        "add audit cache config create dedupe dlx exec global info init install link list npm \
         outdated pack plugin publish remove run up upgrade version why workspace workspaces",
    ),
    (
        "pip",
        "install download uninstall freeze inspect list show check config search cache index \
         wheel hash completion debug",
    ),
    (
        "pip3",
        "install download uninstall freeze inspect list show check config search cache index \
         wheel hash completion debug",
    ),
    (
        "uv",
        "run init add remove version sync lock export tree tool* python* pip* venv build publish \
         cache* self*",
    ),
    (
        "poetry",
        "about add build cache* check config debug* env* init install list lock new publish \
         remove run search self* shell show source* sync update version",
    ),
    (
        "go",
        "bug build clean doc env fix fmt generate get install list mod* work* run telemetry test \
         tool version vet",
    ),
    (
        "systemctl",
        "start stop restart reload status enable disable",
    ),
    ("brew", "install uninstall upgrade update list info search"),
    (
        "apt",
        "install remove purge update upgrade list search show autoremove",
    ),
];

/// Whether `tool` explains itself when `--help` follows `words`.
pub(crate) fn explains(tool: &str, words: &[&str]) -> bool {
    let Some((_, subcommands)) = TOOLS.iter().find(|(name, _)| *name == tool) else {
        return false;
    };
    let known = |word: &str, group: bool| {
        subcommands.split_ascii_whitespace().any(|own| {
            own.strip_suffix('*')
                .map_or(!group && own == word, |own| own == word)
        })
    };
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && !word.starts_with('-')
    };
    match words {
        [one] => known(one, false),
        [group, verb] => known(group, true) && is_word(verb),
        _ => false,
    }
}
