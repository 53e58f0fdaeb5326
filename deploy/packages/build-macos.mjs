import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeUniform } from './program-folder.mjs'
import { runTool, SOURCE_DATE_EPOCH } from './run-tool.mjs'

const FOLDERS = {
  program: '/usr/local/muster-agent',
  data: '/Library/Application Support/muster-agent',
}

/** The scripts of the archive, for these folders. */
export const makeScripts = ({ program, data } = FOLDERS) => ({
  'install.sh': `#!/bin/sh
# Installs the Muster agent, or replaces it and keeps its identity. Run as root:
#   sudo ./install.sh --server https://muster.example.com [--ca FILE]
# The token comes from the environment (MUSTER_ENROL_TOKEN), or from standard input: command lines are public.
set -eu
program="${program}"
data="${data}"
label=com.muster.agent
fail() { echo "muster: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "run this as root, with sudo"
here=$(cd "$(dirname "$0")" && pwd)

launchctl bootout "system/$label" 2>/dev/null || true
umask 022
mkdir -p "$program"
# An agent that has updated itself keeps its versions.
for part in "$program"/*; do
  case "$part" in */versions | */current.json) ;; *) rm -rf "$part" ;; esac
done
cp -R "$here/program/." "$program"
"$program/node" "$program/package/agent.mjs" lay-out --program-folder "$program"
if [ $# -gt 0 ]; then
  if [ -z "\${MUSTER_ENROL_TOKEN:-}" ]; then
    printf 'Enrolment token: '
    read -r MUSTER_ENROL_TOKEN
    export MUSTER_ENROL_TOKEN
  fi
  "$program/node" "$program/muster-agent.mjs" enrol --data "$data" "$@" || fail "the machine could not be enrolled"
fi
[ -e "$data/agent.json" ] || fail "this machine is not enrolled yet. Add --server URL"
exec "$program/node" "$program/muster-agent.mjs" install --data "$data" --program-folder "$program"
`,
  'uninstall.sh': `#!/bin/sh
# Removes the Muster agent with its data. Run as root.
exec "${program}/node" "${program}/muster-agent.mjs" uninstall --data "${data}"
`,
})

/** Builds an archive with an installer. Node keeps the signature of its makers: macOS runs no changed program on arm64. */
export async function buildMacArchive({ version, folder, scratch, fast, file }) {
  const name = `muster-agent-${version}`
  const tree = join(scratch, name)
  mkdirSync(tree)
  renameSync(folder, join(tree, 'program'))
  for (const [file, text] of Object.entries(makeScripts())) writeFileSync(join(tree, file), text)
  makeUniform(tree)
  const sorted = ['--sort=name', '--format=ustar', '--owner=0', '--group=0', '--numeric-owner']
  const options = [
    ...sorted,
    `--mtime=@${SOURCE_DATE_EPOCH}`,
    // gzip takes half as much again. Two threads compress in blocks of the same size on every machine.
    '-I',
    `xz -T2 -${fast ? 0 : 6}`,
  ]
  runTool('tar', [...options, '-cf', file, '-C', scratch, name])
  return { signed: false }
}
