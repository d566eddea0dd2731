//! Options that stand before the subcommand of a tool. Reading goes past those that change
//! nothing; rules that forbid go past all of them: `git -C . push` is a push.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::row::{Takes, flag};

/// The options of one tool.
pub(crate) struct Globals {
    tools: &'static str,
    /// They change neither what runs nor where.
    harmless: &'static str,
    /// The others.
    others: &'static str,
    /// Subcommands behind which options may stand before the verb.
    groups: &'static str,
}

const fn globals(
    tools: &'static str,
    harmless: &'static str,
    others: &'static str,
    groups: &'static str,
) -> Globals {
    Globals {
        tools,
        harmless,
        others,
        groups,
    }
}

const TABLE: &[Globals] = &[
    globals(
        "git",
        "--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects \
         --glob-pathspecs --icase-pathspecs --noglob-pathspecs --no-lazy-fetch",
        "-c= -C=@ --git-dir=@ --work-tree=@ --exec-path?@ --namespace= --config-env= \
         --super-prefix= --attr-source= --list-cmds= -p --paginate --bare",
        "remote stash submodule worktree config reflog notes bisect sparse-checkout lfs bundle",
    ),
    globals(
        "docker|podman|nerdctl",
        "-D --debug",
        "-H= --host= -c= --context= --config=@ -l= --log-level= --tls --tlsverify --tlscacert= \
         --tlscert= --tlskey=",
        "compose container image volume network system builder buildx context manifest plugin \
         swarm service stack node secret config trust",
    ),
    globals(
        "docker-compose",
        "",
        "-f=@ --file=@ -p= --project-name= --profile= --env-file=@ --project-directory=@ \
         --ansi= --progress= --parallel= --verbose -H= --host=",
        "",
    ),
    globals(
        "kubectl|oc|k",
        "",
        "-n= --namespace= --context= --cluster= --kubeconfig=@ -s= --server= --token= --user= \
         --as= --as-group= --as-uid= -v= --v= --request-timeout= --cache-dir= \
         --certificate-authority= --client-certificate= --client-key= --tls-server-name= \
         --profile= --profile-output= --insecure-skip-tls-verify --match-server-version \
         --warnings-as-errors --disable-compression --password= --username=",
        "config rollout auth set apply create cluster-info top plugin certificate",
    ),
    globals(
        "helm",
        "--debug",
        "-n= --namespace= --kube-context= --kubeconfig=@ --kube-apiserver= --kube-token= \
         --registry-config= --repository-cache= --repository-config= --burst-limit= --qps= \
         --kube-as-user= --kube-as-group= --kube-ca-file= --kube-tls-server-name=",
        "repo plugin dependency registry get show search",
    ),
    globals(
        "npm|pnpm|yarn|bun",
        "-s --silent -q --quiet --no-color --no-update-notifier --json",
        "-g --global -C=@ --prefix=@ --cwd=@ --dir=@ -w= --workspace= --workspaces -ws -F= --filter= \
         -r --recursive --loglevel= -d -dd -ddd --registry= --userconfig=@ --globalconfig=@ \
         --cache=@ --offline --prefer-offline --if-present --ignore-scripts --use-yarnrc= \
         --mutex= --verbose --stream --parallel --aggregate-output --workspace-root --tag= \
         --otp= --access= --location= --include-workspace-root --no-workspaces -y --yes \
         --script-shell=",
        "run run-script exec config pkg cache dist-tag owner team token access audit workspace \
         workspaces store npm",
    ),
    globals(
        "npx|bunx|pnpx",
        "",
        "-y --yes --no --no-install -p= --package= -q --quiet -w= --workspace= --workspaces \
         --prefix=@ --cache=@ --userconfig=@ --registry= --ignore-existing --bun",
        "",
    ),
    globals(
        "cargo",
        "-q --quiet -v --verbose -vv --color=",
        "--offline --locked --frozen --config= -C=@ -Z=",
        "",
    ),
    globals(
        "rustup",
        "-q --quiet -v --verbose",
        "",
        "toolchain target component override self set",
    ),
    globals("go", "", "-C=@", "mod work tool"),
    globals(
        "gh",
        "",
        "-R= --repo= --hostname=",
        "pr issue repo release run workflow gist auth secret variable cache label project org \
         codespace extension alias config ssh-key gpg-key ruleset",
    ),
    globals(
        "systemctl|loginctl|journalctl|machinectl|timedatectl|hostnamectl",
        "--user --system --no-pager -q --quiet -a --all -l --full --no-legend --plain",
        "-H= --host= -M= --machine= --global --root= --image= -t= --type= --state= -p= \
         --property= -n= --lines= -o= --output= --now --no-block --no-ask-password --no-wall -f \
         --force --runtime --preset-mode= --job-mode= -s= --signal= --kill-whom= --what=",
        "",
    ),
    globals(
        "make|gmake",
        "",
        "-C=@ --directory=@ -f=@ --file=@ --makefile=@ -I= --include-dir= -j? --jobs? -l? -O? \
         -o= -W= -s --silent --quiet -k --keep-going -B --always-make -e -i -n -t -q -r -R -w \
         --no-print-directory --eval=",
        "",
    ),
    globals(
        "terraform|tofu|terragrunt",
        "",
        "-chdir?@ --terragrunt-working-dir= --terragrunt-config=",
        "state workspace providers",
    ),
    globals(
        "aws",
        "",
        "--profile= --region= --output= --endpoint-url= --query= --color= --ca-bundle= \
         --cli-read-timeout= --cli-connect-timeout= --debug --no-verify-ssl --no-paginate \
         --no-sign-request --no-cli-pager",
        "s3 s3api ec2 iam rds lambda dynamodb cloudformation eks ecs ecr sqs sns logs ssm \
         secretsmanager route53 kms sts",
    ),
    globals(
        "gcloud",
        "",
        "--project= --account= --configuration= --format= --verbosity= --quiet -q --region= \
         --zone= --impersonate-service-account= --billing-project=",
        "compute container sql storage projects run functions iam auth config app",
    ),
    globals(
        "az",
        "",
        "--subscription= --output= -o= --query= --debug --verbose",
        "",
    ),
    globals(
        "pip|pip3",
        "-q --quiet -v --verbose --no-input --no-color --disable-pip-version-check",
        "--proxy= --timeout= --retries= --cert= --client-cert= --cache-dir= --log= --python= \
         --isolated --require-virtualenv --no-cache-dir --trusted-host= --exists-action=",
        "config cache",
    ),
    globals(
        "poetry|uv|pdm|hatch|pipenv",
        "-q --quiet -v --verbose --no-color",
        "-C=@ -P= --directory=@ --project=@ -n --no-interaction --config-file= --cache-dir= \
         --offline --no-cache --python= -e= --env= --no-config",
        "pip tool python self cache env config source run",
    ),
    globals(
        "apt|apt-get|aptitude|dnf|yum|zypper|apk|pacman|brew",
        "-q --quiet",
        "-y --yes --assume-yes -qq -o= -c= -t= --target-release= --allow-unauthenticated \
         --no-install-recommends -v --verbose --force-yes --root= -R= --enablerepo= \
         --disablerepo= --installroot= --non-interactive -n --no-confirm",
        "",
    ),
    globals(
        "ip",
        "-br -brief -4 -6 -0 -B -M -s -stats -statistics -d -details -o -oneline -c -color \
         -color=always -color=never -j -json -p -pretty -h -human -human-readable -r -resolve -t \
         -timestamp -ts -tshort -N -Numeric -iec -f= -family=",
        "-n= -netns= -b= -batch= -a -all -force -l= -loops= -rc= -rcvbuf=",
        "",
    ),
    globals(
        "gradle|gradlew|mvn|mvnw|sbt|ant|bazel|bazelisk|nx|turbo|lerna|rake|just|task|dotnet|mix",
        "",
        "-p= -b= -c= -f= -pl= -P= --project-dir=@ --file=@ -q --quiet --info --debug -D= \
         --directory= -d= --offline -o -T= -C= --justfile= --working-directory= --dir= -s -B -U \
         -ntp",
        "",
    ),
    globals(
        "svn|hg|jj",
        "-q --quiet -v --verbose",
        "-R=@ --repository=@ --cwd=@ --config= --username= --password= --non-interactive -y \
         --config-dir= --config-option= --no-auth-cache --at-op= --at-operation= --color=",
        "",
    ),
    globals(
        "firebase|vercel|netlify|wrangler|fly|flyctl|heroku|doctl|railway|supabase|pulumi|cdk|\
         serverless|sls|vagrant|virsh|ansible|ansible-playbook|vault|consul|nomad|etcdctl",
        "",
        "--project= -P= --token= --account= -a= --app= -t= --scope= -S= --cwd= -C= --config= -c= \
         --context= --access-token= --profile= --region= --stage= -s= --stack= --address= \
         --namespace= --debug --local-config= -A= --endpoints=",
        "apps pg db projects stack kv secrets auth job",
    ),
];

/// The options of `tool`.
pub(crate) fn of(tool: &str) -> Option<&'static Globals> {
    static BY_TOOL: LazyLock<HashMap<&'static str, &'static Globals>> = LazyLock::new(|| {
        TABLE
            .iter()
            .flat_map(|row| row.tools.split('|').map(move |tool| (tool, row)))
            .collect()
    });
    BY_TOOL.get(tool).copied()
}

/// What is known of one word before the subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Global {
    /// How many words it takes with its value.
    pub words: usize,
    pub harmless: bool,
    /// Its value is a path.
    pub path: bool,
}

impl Globals {
    /// What `word` is; `None` for an option that is not listed.
    pub(crate) fn option(&self, word: &str) -> Option<Global> {
        let name = word.split('=').next().unwrap_or(word);
        let listed = [(self.harmless, true), (self.others, false)];
        listed.into_iter().find_map(|(flags, harmless)| {
            let found = flag(flags, word).or_else(|| flag(flags, name));
            let short = word.get(..2).filter(|_| !word.starts_with("--"));
            match (found, short.and_then(|short| flag(flags, short))) {
                (Some(found), _) => Some(Global {
                    words: 1 + usize::from(found.takes == Takes::Value && !word.contains('=')),
                    harmless,
                    path: found.path.is_some(),
                }),
                // `-n5`, `-j8`: the value is attached.
                (None, Some(found)) if found.takes != Takes::Nothing => Some(Global {
                    words: 1,
                    harmless,
                    path: false,
                }),
                _ => None,
            }
        })
    }

    pub(crate) fn is_group(&self, word: &str) -> bool {
        self.groups
            .split_ascii_whitespace()
            .any(|group| group == word)
    }
}
