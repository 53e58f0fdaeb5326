import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { givenFolder } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { linuxManagers } from './linux/packages.ts'
import { macosPackages, parseBrewOutdated } from './macos/packages.ts'
import { makePackageTools } from './package-managers.ts'
import {
  describeChocoFailure,
  describeWingetFailure,
  listChocolatey,
  parseChocoOutdated,
  parseWingetList,
  windowsPackages,
} from './windows/packages.ts'

// Package managers of other systems, as programs that print what theirs print.
const KEEP = 'echo "$(basename "$0") $*" >> "$here/asked"'

function givenTools(tools: Record<string, string>) {
  const bodies = Object.entries(tools).map(([name, body]) => [name, `${KEEP}\n${body}`] as const)
  const folder = givenPrograms(Object.fromEntries(bodies))
  const asked = () =>
    existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n') : []
  return { folder, asked }
}

const RPM = `
[ "$2" = --test ] && [ "$4" = openssl-libs ] && {
  echo 'error: Failed dependencies:' >&2
  printf '\\tlibssl.so.3()(64bit) is needed by (installed) curl-7.76.1-29.el9.x86_64\\n' >&2
  exit 1
}
[ "$1" = -q ] && [ "$3" = missing ] && { echo 'package missing is not installed'; exit 1; }
exit 0`

test('dnf installs, upgrades and removes, and refuses to remove what others need', async () => {
  const { asked } = givenTools({
    rpm: RPM,
    dnf: 'case "$*" in *list*nothing) exit 1;; *install*locked) exit 200;; esac; exit 0',
  })
  const dnf = makePackageTools([linuxManagers.dnf], 'none')
  await dnf.change('install', ['nothing', 'nginx'])
  await dnf.change('upgrade', ['glibc:i686'])
  await dnf.change('remove', ['nginx'])
  expect(asked().filter((line) => line.startsWith('dnf -y'))).toEqual([
    'dnf -y --setopt=exit_on_lock=True install nginx',
    'dnf -y --setopt=exit_on_lock=True upgrade glibc.i686',
    'dnf -y --setopt=exit_on_lock=True remove nginx',
  ])
  await expect(dnf.change('remove', ['openssl-libs'])).rejects.toThrow(
    'Nothing was removed, because other packages need openssl-libs: curl-7.76.1-29.el9.x86_64.',
  )
  await expect(dnf.change('upgrade', ['missing'])).rejects.toThrow('Package missing is not installed')
  await expect(dnf.change('install', ['locked'])).rejects.toThrow('Another package manager is running')
})

test('zypper asks nothing, and a wanted restart is no failure', async () => {
  const { asked } = givenTools({ rpm: RPM, zypper: 'case "$*" in *update*) exit 102;; esac; exit 0' })
  const zypper = makePackageTools([linuxManagers.zypper], 'none')
  await zypper.change('install', ['vim'])
  await zypper.change('upgrade', ['vim'])
  await zypper.change('remove', ['vim'])
  expect(asked().filter((line) => /^zypper -n (?!-q)/.test(line))).toEqual([
    'zypper -n install --no-recommends --auto-agree-with-licenses vim',
    'zypper -n update --auto-agree-with-licenses vim',
    'zypper -n remove vim',
  ])
  const updates =
    '<update kind="package" name="vim" edition="9.1-2" arch="x86_64" edition-old="9.0-1"></update>'
  givenTools({ rpm: RPM, zypper: `echo '${updates}'` })
  expect((await zypper.findUpgrades(new AbortController().signal)).upgrades).toEqual([
    { source: 'rpm', name: 'vim', version: '9.0-1', available: '9.1-2' },
  ])
})

test('Homebrew installs, upgrades and removes', async () => {
  const { asked } = givenTools({
    brew: `case "$*" in
      "list --versions wget") echo "wget 1.25.0";;
      "list --versions"*) exit 1;;
      *nothing) echo 'Error: No available formula with the name "nothing".' >&2; exit 1;;
      uninstall*) echo 'Error: Refusing to uninstall /opt/homebrew/Cellar/wget/1.25.0' >&2; exit 1;;
    esac`,
    // The test may run as root, and the program is its own.
    sudo: 'shift 4; exec "$@"',
  })
  await macosPackages.change('install', ['nothing', 'python@3.13'])
  await macosPackages.change('upgrade', ['wget'])
  expect(asked()).toContain('brew install python@3.13')
  expect(asked()).toContain('brew upgrade wget')
  await expect(macosPackages.change('remove', ['wget'])).rejects.toThrow(
    'Nothing was removed, because other packages need wget.',
  )
  await expect(macosPackages.change('remove', ['jq'])).rejects.toThrow('Package jq is not installed')
  await expect(macosPackages.change('install', ['nothing'])).rejects.toThrow('was not found')
})

test('winget is asked before Chocolatey, and its codes are words', async () => {
  const { asked } = givenTools({
    winget:
      'case "$*" in "show --id Mozilla.Firefox"*|"list --id Mozilla.Firefox"*) exit 0;; show*|list*) exit 20;; esac',
    choco: 'case "$1" in search) echo "$2|1.0";; uninstall) exit 58;; esac; exit 0',
  })
  const folder = givenFolder()
  mkdirSync(join(folder, 'lib/7zip'), { recursive: true })
  vi.stubEnv('ChocolateyInstall', folder)
  await windowsPackages.change('install', ['firefox', 'Mozilla.Firefox'])
  await windowsPackages.change('upgrade', ['Mozilla.Firefox'])
  await windowsPackages.change('upgrade', ['7zip'])
  expect(asked()).toContain('choco install firefox -y --no-progress --limit-output')
  expect(asked()).toContain(
    'winget upgrade --silent --accept-package-agreements --id Mozilla.Firefox --exact --accept-source-agreements --disable-interactivity',
  )
  expect(asked()).toContain('choco upgrade 7zip -y --no-progress --limit-output')
  await expect(windowsPackages.change('remove', ['git'])).rejects.toThrow('Package git is not installed')
  // Node returns the code as a number without a sign, other programs with one.
  for (const code of [0x8a150014, -1978335212])
    expect(describeWingetFailure({ code, said: 'x' })).toBe('The package was not found.')
  expect(
    describeWingetFailure({ code: 0x8a150999, said: 'Installer failed with exit code: 1603\r\n \r\n' }),
  ).toBe('winget exited with 0x8A150999: Installer failed with exit code: 1603')
  expect(describeChocoFailure({ code: 1, said: 'nope not installed. The package was not found with the source(s) listed.' })).toBe('The package was not found.') // prettier-ignore
})

test('apt installs only what it knows by exactly that name', async () => {
  // The real apt-cache finds rosbash for "ba.h" and for "bash+": it takes them for patterns.
  const { asked } = givenTools({
    'apt-cache': `case "$3" in
      bash | bash:amd64) name=bash;; libc6:i386) name=libc6:i386;; *) name=rosbash;;
    esac
    printf '%s:\\n  Installed: 1.0\\n  Candidate: 1.1\\n' "$name"`,
    'apt-get': 'exit 0',
    dpkg: 'exit 0',
  })
  const manager = linuxManagers.apt
  for (const name of ['bash', 'bash:amd64', 'libc6:i386'])
    expect([name, await manager.offers(name), await manager.has(name)]).toEqual([name, true, true])
  for (const name of ['ba.h', 'bash+', 'bash-', 'l.'])
    expect([name, await manager.offers(name), await manager.has(name)]).toEqual([name, false, false])
  const apt = makePackageTools([linuxManagers.apt], 'none')
  for (const change of ['install', 'upgrade', 'remove'] as const)
    await expect(apt.change(change, ['ba.h'])).rejects.toThrow('Package ba.h')
  expect(asked().filter((line) => line.startsWith('apt-get'))).toEqual([])
})

test('Chocolatey takes neither every package nor files by a name', async () => {
  const { asked } = givenTools({ choco: 'case "$1" in search) echo "$2|1.0";; esac' })
  const folder = givenFolder()
  for (const name of ['all', 'packages.config', 'x.nupkg'])
    mkdirSync(join(folder, 'lib', name), { recursive: true })
  vi.stubEnv('ChocolateyInstall', folder)
  for (const name of ['all', 'ALL', 'packages.config', 'x.nupkg']) {
    await expect(windowsPackages.change('install', [name])).rejects.toThrow(`Package ${name} was not found`)
    await expect(windowsPackages.change('upgrade', [name])).rejects.toThrow(
      `Package ${name} is not installed`,
    )
  }
  expect(asked().filter((line) => /^choco (install|upgrade)/.test(line))).toEqual([])
})

test('a machine without a package manager says so', async () => {
  const none = makePackageTools([], 'This machine has no package manager.')
  await expect(none.change('install', ['x'])).rejects.toThrow('This machine has no package manager.')
})

test('newer versions are read from what each package manager prints', () => {
  const brew = {
    formulae: [
      { name: 'a/tap/wget', installed_versions: ['1.24', '1.25'], current_version: '1.26', pinned: false },
    ],
    casks: [{ name: 'firefox', installed_versions: ['132.0'], current_version: '133.0' }],
  }
  expect(parseBrewOutdated(JSON.stringify(brew))).toEqual([
    { source: 'homebrew', name: 'wget', version: '1.25', available: '1.26' },
    { source: 'homebrew', name: 'firefox', version: '132.0', available: '133.0' },
  ])
  expect(() => parseBrewOutdated('Updating...')).toThrow('its list cannot be read')
  expect(parseChocoOutdated('7zip|24.8.0|24.9.0|false\r\ngit|2.1|2.2|true\r\nold|1|1|false\r\n')).toEqual([
    { source: 'chocolatey', name: '7zip', version: '24.8.0', available: '24.9.0' },
  ])
})

const WINGET = [
  '\r   - \r   \\ \rName                    Id                  Version   Verf\u00fcgbar Quelle',
  '-----------------------------------------------------------------------',
  'Mozilla Firefox (x64)   Mozilla.Firefox     132.0     133.0     winget',
  '7-Zip 24.08             7zip.7zip           24.08               winget',
  'Vendor Tool             ARP\\Machine\\X64\\V  1.0',
  'A program with a long \u2026 Some.Thing          1.0       2.0       winget',
  '',
].join('\r\n')

test('the table of winget is read by its columns, in any language', () => {
  expect(parseWingetList(WINGET)).toEqual([
    {
      source: 'windows',
      name: 'Mozilla Firefox (x64)',
      version: '132.0',
      available: '133.0',
      packageId: 'Mozilla.Firefox',
    },
    {
      source: 'windows',
      name: '7-Zip 24.08',
      version: '24.08',
      available: undefined,
      packageId: '7zip.7zip',
    },
  ])
  expect(() => parseWingetList('Failed when opening source(s)')).toThrow('its list cannot be read')
})

test('packages of Chocolatey are listed from its folder', () => {
  const folder = givenFolder()
  vi.stubEnv('ChocolateyInstall', folder)
  expect(listChocolatey()).toEqual([])
  mkdirSync(join(folder, 'lib/7zip'), { recursive: true })
  mkdirSync(join(folder, 'lib/broken'), { recursive: true })
  const nuspec =
    '<package><metadata><id>7zip</id><version>24.8.0</version><authors>Igor Pavlov</authors></metadata></package>'
  writeFileSync(join(folder, 'lib/7zip/7zip.nuspec'), nuspec)
  expect(listChocolatey()).toMatchObject([{ name: '7zip', version: '24.8.0', publisher: 'Igor Pavlov' }])
})

test('a manager that cannot list newer versions does not hide those of another', async () => {
  givenTools({
    dnf: 'echo "Error: Cache-only enabled but no cache for fedora" >&2; exit 1',
    rpm: RPM,
    zypper: 'exit 0',
  })
  const tools = makePackageTools([linuxManagers.dnf, linuxManagers.zypper], 'none')
  expect(await tools.findUpgrades(new AbortController().signal)).toEqual({
    managers: ['dnf', 'zypper'],
    upgrades: [],
    problem: 'dnf failed to list newer versions: Error: Cache-only enabled but no cache for fedora',
  })
})
