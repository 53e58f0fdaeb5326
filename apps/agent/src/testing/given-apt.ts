import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { givenFolder } from './given.ts'
import { givenPrograms } from './given-programs.ts'

interface GivenPackage {
  name: string
  version: string
  depends?: string
}

/** An isolated system for the real apt and dpkg in a folder, with a repository in another folder. */
export function givenApt(installed: GivenPackage[]) {
  const root = givenFolder()
  const repository = join(root, 'repository')
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true })
  mkdirSync(repository)
  writeFileSync(join(root, 'var/lib/dpkg/status'), '')
  writeFileSync(join(root, 'etc/apt/sources.list'), `deb [trusted=yes] file:${repository} ./\n`)
  const settings = join(root, 'apt.conf')
  writeFileSync(
    settings,
    `Dir "${root}"; Dir::State::status "${root}/var/lib/dpkg/status"; Dir::Etc "etc/apt";
APT::Sandbox::User "root"; DPkg::Options { "--root=${root}"; "--force-not-root"; "--log=${root}/var/log/dpkg.log"; };\n`,
  )
  // Wrappers around the real programs that select this system.
  const apt = (name: string) => `exec /usr/bin/${name} -c '${settings}' "$@"`
  const here = givenPrograms({
    'apt-get': `[ -e "$here/impatient" ] && set -- "$@" -o DPkg::Lock::Timeout=1\n${apt('apt-get')}`,
    'apt-cache': apt('apt-cache'),
    'dpkg-query': `exec /usr/bin/dpkg-query --admindir='${root}/var/lib/dpkg' "$@"`,
    dpkg: `exec /usr/bin/dpkg --root='${root}' --force-not-root "$@"`,
  })
  const offer = (...packages: GivenPackage[]) => {
    const entries = packages.map((one) => build(repository, one))
    writeFileSync(join(repository, 'Packages'), entries.join('\n'))
  }
  for (const one of installed) {
    build(repository, one)
    execFileSync(join(here, 'dpkg'), ['-i', join(repository, fileOf(one))], { stdio: 'ignore' })
  }
  return {
    offer,
    /** A package that no repository has. */
    makeFile: (one: GivenPackage) => {
      const folder = givenFolder()
      build(folder, one)
      return join(folder, fileOf(one))
    },
    /** Reads the list of the repository. */
    update: () => execFileSync(join(here, 'apt-get'), ['update', '-q'], { stdio: 'ignore' }),
    /** Does not wait for another program that has the lock. */
    makeImpatient: () => writeFileSync(join(here, 'impatient'), ''),
    versionOf: (name: string) => {
      const status = readFileSync(join(root, 'var/lib/dpkg/status'), 'utf8')
      const entry = status.split('\n\n').find((text) => text.startsWith(`Package: ${name}\n`))
      return /^Version: (.*)$/m.exec(entry ?? '')?.[1]
    },
    logs: join(root, 'var/log'),
    lock: () => holdLock(join(root, 'var/lib/dpkg/lock-frontend')),
  }
}

const FOLDERS = [
  ...['updates', 'info', 'triggers'].map((name) => `var/lib/dpkg/${name}`),
  'var/lib/apt/lists/partial',
  'var/cache/apt/archives/partial',
  'var/log/apt',
  ...['preferences.d', 'apt.conf.d', 'trusted.gpg.d', 'sources.list.d'].map((name) => `etc/apt/${name}`),
]

const fileOf = ({ name, version }: GivenPackage) => `${name}_${version}_all.deb`

/** Returns its entry in the list of the repository. */
function build(repository: string, given: GivenPackage): string {
  const { name, version, depends } = given
  const source = join(repository, 'source')
  mkdirSync(join(source, 'DEBIAN'), { recursive: true })
  const control = [
    `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: Test <a@example.com>`,
    ...(depends === undefined ? [] : [`Depends: ${depends}`]),
    'Description: a package of a test',
  ].join('\n')
  writeFileSync(join(source, 'DEBIAN/control'), `${control}\n`)
  const file = join(repository, fileOf(given))
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '-b', source, file], { stdio: 'ignore' })
  rmSync(source, { recursive: true })
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex')
  return `${control}\nFilename: ./${fileOf(given)}\nSize: ${statSync(file).size}\nSHA256: ${digest}\n`
}

/** Locks like dpkg, with fcntl, which Node does not support. */
async function holdLock(file: string): Promise<{ pid: number; release: () => Promise<void> }> {
  const code = `open(my $f, '>', $ARGV[0]) or die; my $lock = pack('s s x4 q q l x4', 1, 0, 0, 0, 0); fcntl($f, 6, $lock) or die; $| = 1; print "held\\n"; sleep 600`
  const child = spawn('perl', ['-e', code, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise((resolve) => child.once('close', resolve))
  const release = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(release)
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return { pid: child.pid ?? 0, release }
}
