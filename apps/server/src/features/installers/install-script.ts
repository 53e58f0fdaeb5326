import type { ServerTrust } from './install-files.ts'

/** The last line of the script. Without it, only a part of the script has arrived. */
export const END = '# muster: end'

/**
 * The line to paste on Linux and macOS. The token is passed on standard input, because other users of the machine can
 * read command lines; `echo` and `printf` are built into the shell. With TLS, the server's public key is verified,
 * because its certificate may be self-signed.
 */
export function shellLine(given: {
  url: string
  token: string
  trust: ServerTrust
  dataFolder: string | undefined
}): string {
  const { url, token, trust, dataFolder = '' } = given
  const options = dataFolder.trim() === '' ? '' : ` -s -- --data ${quote(dataFolder.trim())}`
  const header = quote(`header = "Authorization: Enrol ${token}"`)
  const curl = `curl -sS${pin(trust)} -K - "$0"`
  // wget takes headers from a file only, which mktemp makes private.
  const toFile = '{ printf "header = "; cut -d\\" -f2; } >"$f"'
  const wget = `f=$(mktemp) && ${toFile} && WGETRC=$f ${wgetCall(trust)} "$0"; c=$?; rm -f "$f"; exit $c`
  const run = quote(runAnswer({ curl, wget }))
  return `echo ${header} | sh -c ${run} ${quote(`${url}/agent/install.sh`)}${options}`
}

/** The line for a deployment. Its address is a secret as well, so it is on standard input too. */
export function shellDeployLine(address: string, trust: ServerTrust): string {
  const curl = `curl -sS${pin(trust)} -K -`
  const wget = `cut -d\\" -f2 | ${wgetCall(trust)} -i -`
  return `echo ${quote(`url = "${address}"`)} | sh -c ${quote(runAnswer({ curl, wget }))} muster`
}

/** A key that is pinned counts for wget without the check of the certificate too. */
function wgetCall({ keyPin }: ServerTrust): string {
  const trust = keyPin === undefined ? '' : ` --no-check-certificate --pinnedpubkey=sha256//${keyPin}`
  return `wget -q -t 1 --content-on-error -O -${trust}`
}

/** Answers of the server that begin with this are sentences for the person at the machine. */
export const REFUSAL = 'muster: '

/**
 * Runs the whole script that the server sends, with the words after the line as options of `sh`. Everything else ends with
 * a sentence and an exit code other than 0, because tools that run the line look only at its exit code.
 */
function runAnswer({ curl, wget }: { curl: string; wget: string }): string {
  const cases = [
    `0,*"${END}") printf "%s\\n" "$s" | sh "$@"; exit`,
    `0,"${REFUSAL}"*) s=\${s#${REFUSAL}}`,
    `0,*) s="the answer is not a whole install script"`,
    `6,*|7,*|28,*) s="the server does not answer"`,
    `60,*|90,*) s="the certificate of the server is not trusted"`,
    `127,*) s="curl and wget are missing on this machine"`,
    `*) s="the download failed, see above"`,
  ]
  // The codes of wget as those of curl: 8 is an answer that refuses.
  const codes = 'case $c in 8) c=0;; 4) c=7;; 5) c=60;; esac'
  const load = `if command -v curl >/dev/null; then s=$(${curl}); c=$?; else s=$(${wget}); c=$?; ${codes}; fi`
  return `${load}; case $c,$s in ${cases.join(';; ')};; esac; echo "muster: nothing was installed: $s" >&2; exit 1`
}

/**
 * The commands that install a package of Linux or macOS, and enrol the machine. The shell of root reads the token from
 * standard input and passes it on in the environment, which the packages read.
 */
export function packageLine(given: { file: string; url: string; token: string; authority: boolean }): string {
  const { file, url, token, authority } = given
  const steps = ['read -r MUSTER_ENROL_TOKEN', 'export MUSTER_ENROL_TOKEN']
  if (file.endsWith('.tar.xz')) {
    const ca = authority ? ' --ca server-ca.pem' : ''
    steps.push('d=$(mktemp -d)', `tar -xf ${file} -C $d`, `sh $d/*/install.sh --server ${url}${ca}`)
  } else {
    const ca = authority ? ' MUSTER_CA_FILE=$PWD/server-ca.pem' : ''
    const install = file.endsWith('.deb') ? 'dpkg -i' : 'rpm -U --replacepkgs'
    steps.push(`MUSTER_SERVER=${url}${ca} ${install} ${file}`)
  }
  return `echo ${quote(token)} | sudo sh -c ${quote(steps.join(' && '))}`
}

/**
 * The installer for POSIX sh. As root and without --data it creates a service of systemd or launchd; with --data it
 * keeps everything in that folder and runs in the foreground. It can be repeated. --uninstall removes everything that it
 * created.
 */
export function installScript({
  url,
  token,
  trust,
}: {
  url: string
  token: string
  trust: ServerTrust
}): string {
  return TEMPLATE.replaceAll(/@(URL|TOKEN|AUTHORITY)@/g, (_, name: string) => {
    if (name === 'URL') return quote(url)
    if (name === 'TOKEN') return quote(token)
    return quote(trust.authority ?? '')
  })
}

function pin({ keyPin }: ServerTrust): string {
  return keyPin === undefined ? '' : ` -k --pinnedpubkey sha256//${keyPin}`
}

/** Quotes any text as one word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

const TEMPLATE = String.raw`#!/bin/sh
# Installs the Muster agent. Options: --data DIR (own folder, runs in the foreground), --no-service, and --uninstall,
# which goes with --data as well.
# A function, so that a part of this script does nothing.
main() {
set -eu

url=@URL@
token=@TOKEN@
authority=@AUTHORITY@
service=muster-agent
program_folder=/opt/muster-agent
data=/var/lib/muster-agent
system=linux
if [ "$(uname -s)" = Darwin ]; then
  system=darwin
  program_folder=/usr/local/muster-agent
  data='/Library/Application Support/muster-agent'
fi
mode=service
action=install

say() { echo "muster: $*"; }
fail() { echo "muster: $*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
has_systemd() { has systemctl && [ -d /run/systemd/system ]; }

while [ $# -gt 0 ]; do
  case "$1" in
    --data)
      [ $# -ge 2 ] || fail "--data needs a folder"
      data=$2; program_folder=$2/program; mode=foreground; shift 2 ;;
    --no-service) mode=none; shift ;;
    --uninstall) action=uninstall; shift ;;
    *) echo "muster: unknown option $1" >&2; exit 2 ;;
  esac
done

node=
find_node() {
  for candidate in "$(command -v node || true)" "$program_folder/node"; do
    if [ -x "$candidate" ] && [ "$("$candidate" -p 'Number(process.versions.node.split(".")[0]) >= 24' 2>/dev/null)" = true ]; then
      node=$candidate
      return
    fi
  done
  return 1
}

if [ "$mode" != foreground ] && [ "$(id -u)" != 0 ]; then
  fail "run this as root, or add --data DIR to install into one folder without root"
fi

launcher=$program_folder/muster-agent.mjs
# Agents of former installers have no launcher.
if [ "$action" = uninstall ] && [ ! -e "$launcher" ]; then launcher=$program_folder/agent.mjs; fi

if [ "$action" = uninstall ] && [ "$mode" = foreground ]; then
  if [ ! -e "$launcher" ]; then say "nothing to remove"; exit 0; fi
  # Only the agent knows which files of the folder are its own.
  find_node || fail "Node 24 is missing, which the agent needs to remove itself"
  "$node" "$launcher" uninstall --data "$data" || fail "the agent could not be removed"
  rm -rf "$program_folder"
  rmdir "$data" 2>/dev/null || true
  say "removed"
  exit 0
fi
if [ "$action" = uninstall ] && [ "$system" = darwin ]; then
  if [ ! -e "$program_folder" ] && [ ! -e "$data" ]; then say "nothing to remove"; exit 0; fi
  "$program_folder/node" "$launcher" uninstall --data "$data" || fail "the agent could not be removed"
  rm -rf "$program_folder" "$data"
  say "removed"
  exit 0
fi
if [ "$action" = uninstall ]; then
  unit=/etc/systemd/system/$service.service
  if [ ! -e "$unit" ] && [ ! -e "$program_folder" ] && [ ! -e "$data" ]; then
    say "nothing to remove"
    exit 0
  fi
  if [ -e "$unit" ]; then
    if has_systemd; then
      systemctl --quiet disable --now "$service" || fail "the service could not be stopped, so nothing was removed"
    fi
    rm -f "$unit" "/etc/systemd/system/multi-user.target.wants/$service.service"
    if has_systemd; then systemctl daemon-reload; fi
  fi
  # It may also have been started by hand, or by another service manager.
  if [ -e "$launcher" ] && find_node; then
    "$node" "$launcher" uninstall --data "$data" >/dev/null || fail "the agent could not be removed"
  fi
  rm -rf "$program_folder" "$data"
  say "removed"
  exit 0
fi

advice="Choose another folder with --data."

# Fails with the reason if nothing can be written to the folder.
require_folder() {
  if [ -e "$1" ] && [ ! -d "$1" ]; then fail "$1 is a file. $advice"; fi
  reason=$(mkdir -p "$1" 2>&1) || fail "the folder $1 could not be created:$(printf '%s' "$reason" | sed 's/.*://'). $advice"
  probe=$1/.muster-probe
  reason=$( { printf '#!/bin/sh\n' > "$probe"; } 2>&1) || {
    rm -f "$probe" 2>/dev/null || true
    fail "nothing can be written to $1:$(printf '%s' "$reason" | sed 's/.*://'). $advice"
  }
}

# Fails with the reason if programs cannot run in the folder: the agent brings its own.
require_program_folder() {
  require_folder "$1"
  chmod 700 "$probe"
  runs=no
  if "$probe" 2>/dev/null; then runs=yes; fi
  rm -f "$probe"
  if [ $runs = yes ]; then return; fi
  point=$(df -P "$1" | tail -n 1 | sed 's/.*% *//')
  if mount | grep -F " on $point " | tail -n 1 | grep -q noexec; then
    fail "$point is mounted noexec: programs cannot run there. $advice"
  fi
  fail "programs cannot run in $1. $advice"
}

# A full disk is the usual reason, and no other message names it.
fail_to_write() {
  free=$(df -Pk "$program_folder" | tail -n 1 | sed 's/ *[0-9]*%.*//; s/.* //')
  if [ "$free" -lt 1024 ] 2>/dev/null; then
    rm -f "$program_folder"/*.new "$program_folder"/download/*.new
    fail "the disk of $program_folder is full: $free KB are free. Free some space, or choose another folder with --data."
  fi
  fail "$1"
}

usual_umask=$(umask)
umask 077
require_folder "$data"
rm -f "$probe"
require_program_folder "$program_folder"
chmod 755 "$program_folder"
ca=
if [ -n "$authority" ]; then
  ca=$data/server-ca.pem
  printf '%s\n' "$authority" > "$ca"
fi

# Sets "code" as curl does, and "status". It knows no condition for a rest, so a broken download begins again.
load_with_wget() {
  rm -f "$part" "$tag_file"
  set -- -q -S -t 1 --content-on-error -O "$part"
  if [ -n "$ca" ]; then set -- "$@" --ca-certificate "$ca"; fi
  # Only the owner can read it.
  echo "header = Authorization: Enrol $token" > "$part.rc"
  WGETRC=$part.rc wget "$@" "$from" 2> "$head" || code=$?
  rm -f "$part.rc"
  status=$(sed -n 's/^ *HTTP\/[0-9.]* \([0-9]*\).*/\1/p' "$head" | tail -n 1)
  case $code in 8) code=0 ;; 4) code=56 ;; 5) code=60 ;; esac
}

# Downloads $1 to $2. A download that broke off continues there, also at the next run of this script, as long as the
# server has the same file. Waits while the server says so: it builds a package, or sends too many others. Returns 1 and
# sets "reason".
fetch() {
  from=$1 to=$2 part=$2.new head=$2.head tag_file=$2.tag reason='' waited=0 broken=0 size=0
  while :; do
    # Without its tag, the rest of another file could follow.
    seen=$(sed -n 's/^[Ee][Tt][Aa][Gg]: *//p' "$head" 2>/dev/null | tr -d '\r' | tail -n 1)
    # A later response may have no headers.
    if [ -n "$seen" ]; then printf '%s\n' "$seen" > "$tag_file"; fi
    tag=$(cat "$tag_file" 2>/dev/null || true)
    code=0
    if ! has curl; then
      load_with_wget
    else
      set -- -sS -o "$part" -D "$head" -w '%{http_code}' -K -
      if [ -n "$ca" ]; then set -- "$@" --cacert "$ca"; fi
      if [ -s "$part" ] && [ -n "$tag" ]; then
        set -- "$@" -f -C - -H "If-Range: $tag"
      else
        rm -f "$part" "$tag_file"
      fi
      status=$(echo "header = \"Authorization: Enrol $token\"" | curl "$@" "$from") || code=$?
    fi
    case "$code,$status" in
      0,200|0,206) mv "$part" "$to"; rm -f "$head" "$tag_file"; return 0 ;;
      # The server has another file by now, or there is no rest of it.
      33,*|0,416|22,416) rm -f "$part" "$head" ;;
      0,*)
        reason=$(head -c 500 "$part" | sed 's/^{"detail":"\([^"]*\)".*/\1/')
        if [ $waited -ge 1200 ] || ! grep -qi '^ *retry-after:' "$head"; then rm -f "$part" "$head"; return 1; fi
        rm -f "$part" "$head"
        if [ $waited = 0 ]; then say "$reason"; fi
        waited=$((waited + 5))
        sleep 5
        continue ;;
      22,503|22,429) ;;
      22,*) reason="the server answers $status"; return 1 ;;
      60,*) reason="the certificate of $url is not trusted"; return 1 ;;
      # No name, no connection, cut off, too slow.
      5,*|6,*|7,*|16,*|18,*|28,*|35,*|52,*|55,*|56,*|92,*) ;;
      *) reason='the download failed, see above'; return 1 ;;
    esac
    now=0
    if [ -e "$part" ]; then now=$(($(wc -c < "$part"))); fi
    if [ "$now" -gt "$size" ]; then broken=0; fi
    size=$now
    broken=$((broken + 1))
    if [ "$size" = 0 ] && [ "$code" != 33 ]; then reason="$url does not answer"; return 1; fi
    if [ $broken -gt 10 ]; then reason='the connection broke off'; return 1; fi
    sleep 5
  done
}

if [ "$system" = darwin ]; then
  case "$(uname -m)" in arm64) arch=arm64 ;; *) arch=x64 ;; esac
  say "downloading the agent"
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  fetch "$url/agent/packages/darwin/$arch/tar.xz" "$unpacked/package" ||
    fail_to_write "the package could not be downloaded: $reason"
  tar -xf "$unpacked/package" -C "$unpacked" || fail "the package is damaged"
  if [ "$mode" = service ]; then
    # The package stops a running agent, replaces the program, enrols and starts the service.
    set -- --server "$url"
    if [ -n "$ca" ]; then set -- "$@" --ca "$ca"; fi
    MUSTER_ENROL_TOKEN=$token sh "$unpacked"/*/install.sh "$@" || fail "the agent could not be installed"
    exit 0
  fi
  found=$(find "$unpacked" -name muster-agent.mjs | head -n 1)
  [ -n "$found" ] || fail "the package holds no agent"
  for part in "$(dirname "$found")"/*; do
    rm -rf "$program_folder/$(basename "$part")"
    mv "$part" "$program_folder/"
  done
  node=$program_folder/node
  chmod 755 "$node"
  program=$program_folder/package/agent.mjs
else
  if ! find_node; then
    say "downloading Node"
    fetch "$url/agent/node/linux/$(uname -m)" "$program_folder/node" ||
      fail_to_write "Node could not be downloaded: $reason"
    chmod 755 "$program_folder/node"
    node=$program_folder/node
  fi
  say "downloading the agent"
  mkdir -p "$program_folder/download"
  fetch "$url/agent/program.mjs" "$program_folder/download/agent.mjs" || fail_to_write "the agent could not be downloaded: $reason"
  fetch "$url/agent/launcher.mjs" "$program_folder/download/muster-agent.mjs" || fail_to_write "the agent could not be downloaded: $reason"
  # The agent's program finds it there by the name of its package.
  case "$(uname -m)" in aarch64) pty=linux-arm64 ;; *) pty=linux-x64 ;; esac
  mkdir -p "$program_folder/node_modules/@lydell/node-pty-$pty"
  fetch "$url/agent/pty/linux/$(uname -m)" "$program_folder/node_modules/@lydell/node-pty-$pty/pty.node" ||
    say "the terminal could not be downloaded: $reason; everything else works"
  program=$program_folder/download/agent.mjs
fi

if [ "$mode" = service ] && has_systemd; then systemctl stop "$service" >/dev/null 2>&1 || true; fi
# The launcher chooses the version that runs, so that the agent can update itself.
"$node" "$program" lay-out --program-folder "$program_folder" > /dev/null ||
  fail_to_write "the program folder $program_folder could not be written"
rm -rf "$program_folder/download"
# Programs that the agent starts for people get it; the agent's own files stay private.
umask "$usual_umask"
set -- enrol --server "$url" --data "$data"
if [ -n "$ca" ]; then set -- "$@" --ca "$ca"; fi
# Not in the command line, which other users of this machine can read.
MUSTER_ENROL_TOKEN=$token "$node" "$launcher" "$@" || fail "the machine could not be enrolled"

if ! has ping; then
  say "ping is missing on this machine, so ping checks will not be measured here; install it (Debian: iputils-ping, others: iputils)"
fi

if [ "$mode" = service ]; then
  if has_systemd; then
    "$node" "$launcher" install --data "$data" --program-folder "$program_folder" ||
      fail "the service could not be created"
    say "installed; the service is called $service"
    exit 0
  fi
  "$node" "$launcher" restart-agents --program-folder "$program_folder"
  say "systemd is missing, so the agent will not start at boot; start it with:"
  say "  $node $launcher run --data $data"
  exit 0
fi
if [ "$mode" = foreground ]; then
  say "running in the foreground; stop it with Ctrl+C, start it again with:"
  say "  $node $launcher run --data $data"
  if [ "$system" = darwin ]; then rm -rf "$unpacked"; fi
  exec "$node" "$launcher" run --data "$data"
fi
}
main "$@"
${END}
`
