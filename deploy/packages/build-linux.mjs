import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeUniform } from './program-folder.mjs'
import { runTool, SOURCE_DATE_EPOCH } from './run-tool.mjs'

const PROGRAM = '/opt/muster-agent'
/** The agent of the package, and its name while it ends the others. */
const PACKAGED = `${PROGRAM}/package/agent.mjs`
const ENDING = `${PROGRAM}/package/ending.mjs`
const SUMMARY = 'Muster agent'
const DESCRIPTION = 'Connects this machine to the Muster server of its administrator.'

const COMMAND = `#!/bin/sh
exec ${PROGRAM}/node ${PROGRAM}/muster-agent.mjs "$@"
`

/**
 * After the installation and each upgrade. MUSTER_SERVER and MUSTER_ENROL_TOKEN may be in the environment of the package
 * manager, and MUSTER_CA_FILE if the server has a certificate of its own. An enrolled machine keeps its identity
 * and its server.
 */
const afterInstall = (kind) => `${PROGRAM}/node ${PACKAGED} lay-out --program-folder ${PROGRAM}
set -- install --package ${kind}
if [ -n "\${MUSTER_SERVER:-}" ]; then set -- "$@" --server "$MUSTER_SERVER"; fi
if [ -n "\${MUSTER_CA_FILE:-}" ]; then set -- "$@" --ca "$MUSTER_CA_FILE"; fi
${PROGRAM}/node ${PROGRAM}/muster-agent.mjs "$@"
`

/**
 * A removal ends every process of the program, also without systemd: an agent that runs on from deleted files would still
 * be connected. A service manager may start it again at once, so the launcher finds no version from the first step on.
 * If a process cannot be ended, the package stays. A Node that does not start runs no agent.
 */
const BEFORE_REMOVAL = `for unit in $(grep -ls '^ExecStart="\\?${PROGRAM}/' /etc/systemd/system/muster-agent*.service); do
  if [ -d /run/systemd/system ]; then systemctl --quiet disable --now "$(basename "$unit")" || true; fi
  rm -f "$unit" "/etc/systemd/system/multi-user.target.wants/$(basename "$unit")"
done
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
rm -rf ${PROGRAM}/versions ${PROGRAM}/current.json ${PROGRAM}/current.json.new
if [ -s ${PACKAGED} ]; then mv -f ${PACKAGED} ${ENDING}; : > ${PACKAGED}; fi
if [ -e ${ENDING} ] && ${PROGRAM}/node --version > /dev/null 2>&1; then
  ${PROGRAM}/node ${ENDING} end-agents --program-folder ${PROGRAM} || { mv -f ${ENDING} ${PACKAGED}; exit 1; }
fi
rm -f ${ENDING}
`
const REMOVE_DATA = 'rm -rf /var/lib/muster-agent\n'

/** Builds the package for Debian and Ubuntu. xz, because older releases do not know zstd. */
export async function buildDeb({ arch, version, folder, scratch, file, fast }) {
  const tree = layTree(folder, scratch)
  const control = join(tree, 'DEBIAN')
  mkdirSync(control)
  writeFileSync(
    join(control, 'control'),
    `Package: muster-agent
Version: ${version}
Architecture: ${arch === 'x64' ? 'amd64' : 'arm64'}
Maintainer: Muster <muster@localhost>
Installed-Size: ${Math.ceil(sizeOf(tree) / 1024)}
Depends: libc6 (>= 2.28), libstdc++6
Recommends: iputils-ping
Section: admin
Priority: optional
Description: ${SUMMARY}
 ${DESCRIPTION}
`,
  )
  const script = (name, text) => writeFileSync(join(control, name), `#!/bin/sh\nset -e\n${text}`)
  script('postinst', `[ "$1" = configure ] || exit 0\n${afterInstall('deb')}`)
  script('prerm', `[ "$1" = remove ] || exit 0\n${BEFORE_REMOVAL}`)
  script('postrm', `[ "$1" = purge ] || exit 0\n${REMOVE_DATA}`)
  makeUniform(tree)
  runTool('chmod', ['755', ...['postinst', 'prerm', 'postrm'].map((name) => join(control, name))])
  // Two threads compress in blocks of the same size on every machine.
  const options = ['--root-owner-group', '-Zxz', fast ? '-z0' : '-z6', '--threads-max=2']
  runTool('dpkg-deb', [...options, '--build', tree, file])
  return { signed: signDeb(file, scratch) }
}

/** Builds the package for Fedora, RHEL, SUSE and their relatives. */
export async function buildRpm({ arch, version, folder, scratch, file, fast }) {
  const tree = layTree(folder, scratch)
  makeUniform(tree)
  const spec = join(scratch, 'agent.spec')
  writeFileSync(spec, describeRpm(version))
  const target = arch === 'x64' ? 'x86_64' : 'aarch64'
  const macros = {
    _topdir: join(scratch, 'rpm'),
    _rpmdir: join(scratch, 'out'),
    _rpmfilename: 'package.rpm',
    _buildhost: 'muster',
    _binary_payload: fast ? 'w0T2.xzdio' : 'w6T2.xzdio',
    _build_id_links: 'none',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    // Files are packed as they are: they may be for another processor.
    __os_install_post: '%{nil}',
    debug_package: '%{nil}',
    muster_tree: tree,
  }
  const defines = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`])
  runTool('rpmbuild', ['-bb', '--target', `${target}-linux`, ...defines, spec])
  runTool('mv', [join(scratch, 'out/package.rpm'), file])
  return { signed: signRpm(file) }
}

function describeRpm(version) {
  return `Name: muster-agent
Version: ${version}
Release: 1
Summary: ${SUMMARY}
License: AGPL-3.0-or-later
Group: System Environment/Daemons
AutoReqProv: no
Requires: libstdc++.so.6()(64bit)
Recommends: iputils
%description
${DESCRIPTION}
%install
mkdir -p %{buildroot}
cp -a %{muster_tree}/. %{buildroot}
%files
%defattr(-,root,root,-)
${PROGRAM}
/usr/bin/muster-agent
%post
${afterInstall('rpm')}%preun
if [ "$1" = 0 ]; then
${BEFORE_REMOVAL}fi
%postun
if [ "$1" = 0 ]; then ${REMOVE_DATA.trim()}; fi
`
}

function layTree(folder, scratch) {
  const tree = join(scratch, 'tree')
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  cpSync(folder, join(tree, PROGRAM), { recursive: true })
  writeFileSync(join(tree, 'usr/bin/muster-agent'), COMMAND)
  return tree
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Signs with the key of this user's GnuPG that MUSTER_SIGN_RPM_KEY names. */
function signRpm(file) {
  const { MUSTER_SIGN_RPM_KEY: key } = process.env
  if (!key) return false
  // Debian's rpm looks for a program that Debian does not have, and not on the path.
  const gpg = runTool('sh', ['-c', 'command -v gpg']).trim()
  runTool('rpmsign', ['--define', `_gpg_name ${key}`, '--define', `__gpg ${gpg}`, '--addsign', file])
  return true
}

/**
 * Signs with the key of this user's GnuPG that MUSTER_SIGN_DEB_KEY names. debsig-verify checks the signature of all
 * members before it, one after the other; dpkg alone ignores it. Source: debsigs(1).
 */
function signDeb(file, scratch) {
  const { MUSTER_SIGN_DEB_KEY: key } = process.env
  if (!key) return false
  const [content, signature] = ['content', 'signature'].map((name) => join(scratch, name))
  const archive = readFileSync(file)
  writeFileSync(content, Buffer.concat(readMembers(archive)))
  runTool('gpg', ['--batch', '--local-user', key, '--output', signature, '--detach-sign', content])
  const bytes = readFileSync(signature)
  const fields = ['_gpgorigin'.padEnd(16), String(SOURCE_DATE_EPOCH).padEnd(12), '0     0     100644  ']
  const head = Buffer.from(`${fields.join('')}${String(bytes.length).padEnd(10)}\`\n`, 'latin1')
  writeFileSync(file, Buffer.concat([archive, head, bytes, Buffer.alloc(bytes.length % 2, '\n')]))
  return true
}

const MEMBER_HEAD_BYTES = 60

/** The contents of an archive of ar. Each member has a head of text and an even size. Source: ar(5). */
function readMembers(archive) {
  const members = []
  for (let at = '!<arch>\n'.length; at < archive.length;) {
    const size = Number(archive.toString('latin1', at + 48, at + 58))
    at += MEMBER_HEAD_BYTES
    members.push(archive.subarray(at, at + size))
    at += size + (size % 2)
  }
  return members
}
