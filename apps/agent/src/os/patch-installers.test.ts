import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { givenFolder } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { dnf } from './linux/dnf.ts'
import { zypper } from './linux/zypper.ts'
import { macosPatches, makeMacosPatches } from './macos/patches.ts'
import { windowsPatches } from './windows/patches.ts'

// Installers of updates, as programs that keep their arguments and end as the files beside them say.
const OUTCOME = `
echo "$(basename "$0") $*" >> "$here/asked"
[ -e "$here/said" ] && cat "$here/said"
[ -e "$here/dies" ] && kill -9 $$
[ -e "$here/code" ] && exit "$(cat "$here/code")"
exit 0`

function givenInstaller(name: string) {
  const folder = givenPrograms({ [name]: OUTCOME })
  return {
    asked: () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n'),
    ends: (code: number, said: string | Buffer = '') => {
      writeFileSync(join(folder, 'code'), String(code))
      writeFileSync(join(folder, 'said'), said)
    },
    dies: () => writeFileSync(join(folder, 'dies'), ''),
  }
}

beforeEach(() => void vi.spyOn(process, 'getuid').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const GARBAGE = Buffer.from([0xff, 0xfe, 0, 1, 2, 0x0a, 0x80, 0x0a])

test.each(['dnf', 'yum'])('%s upgrades the chosen packages, or all', async (name) => {
  const { asked } = givenInstaller(name)
  await dnf.install(['kernel.x86_64', 'vim-minimal.x86_64'])
  await dnf.install(null)
  expect(asked()).toEqual([
    `${name} -y --setopt=exit_on_lock=True upgrade kernel.x86_64 vim-minimal.x86_64`,
    `${name} -y --setopt=exit_on_lock=True upgrade`,
  ])
})

test('a failed upgrade of dnf gives its reason', async () => {
  const { ends, dies } = givenInstaller('dnf')
  const why = () => expect(dnf.install(['x.x86_64'])).rejects
  ends(200)
  await why().toThrow('Another package manager is running. Try again when it has finished.')
  ends(1, 'No match for argument: x.x86_64\nError: No packages marked for upgrade.\n')
  await why().toThrow('Package not found: No match for argument: x.x86_64')
  // Some packages of the transaction have been upgraded.
  ends(
    1,
    'Upgraded:\n  vim-minimal-9.1-1.x86_64\nError unpacking rpm package x-2-1.x86_64\nFailed:\n  x-2-1\n',
  )
  await why().toThrow('dnf exited with code 1: Error unpacking rpm package x-2-1.x86_64')
  ends(1, 'Error Summary\nAt least 120MB more space needed on the / filesystem.\n')
  await why().toThrow('Not enough free disk space.')
  ends(1, GARBAGE)
  await why().toThrow('dnf exited with code 1.')
  dies()
  await why().toThrow('dnf was killed.')
})

test('zypper installs patches and packages by their kind, or all', async () => {
  const { asked, ends } = givenInstaller('zypper')
  await zypper.install(['patch:SUSE-2026-1', 'vim', 'patch:SUSE-2026-2'])
  await zypper.install(['vim'])
  await zypper.install(null)
  const accept = '--auto-agree-with-licenses'
  expect(asked()).toEqual([
    `zypper --non-interactive install ${accept} patch:SUSE-2026-1 patch:SUSE-2026-2`,
    `zypper --non-interactive update ${accept} vim`,
    `zypper --non-interactive update ${accept} vim`,
    `zypper --non-interactive patch ${accept}`,
    `zypper --non-interactive update ${accept}`,
  ])
  // A machine that has to reboot, and one where zypper itself was updated first.
  ends(102)
  await zypper.install(['patch:SUSE-2026-1'])
  expect(asked()).toHaveLength(6)
  ends(103)
  await zypper.install(['patch:SUSE-2026-1'])
  expect(asked()).toHaveLength(8)
})

test('a failed installation of zypper gives its reason, and nothing follows it', async () => {
  const { asked, ends, dies } = givenInstaller('zypper')
  const why = () => expect(zypper.install(['patch:A', 'vim'])).rejects
  ends(7, 'System management is locked by the application with pid 4711 (zypper).\n')
  await why().toThrow('Another package manager is running. Try again when it has finished.')
  expect(asked()).toHaveLength(1)
  ends(104, "'patch:A' not found in package names.\n")
  await why().toThrow("Package not found: 'patch:A' not found in package names.")
  // ZYPPER_EXIT_ERR_COMMIT: some packages are installed.
  ends(
    8,
    '(1/2) Installing: a-1 [done]\nInstallation of b-1 failed:\nError: Subprocess failed. Error: RPM failed\n',
  )
  await why().toThrow('zypper exited with code 8: Error: Subprocess failed. Error: RPM failed')
  ends(4, GARBAGE)
  await why().toThrow('zypper exited with code 4.')
  dies()
  await why().toThrow('zypper was killed.')
})

test('softwareupdate installs by label, or all, and accepts licences', async () => {
  const { asked } = givenInstaller('softwareupdate')
  await macosPatches.install(['macOS Sequoia 15.7.2-24G325', 'Safari18-1'])
  await macosPatches.install(null)
  expect(asked()).toEqual([
    'softwareupdate --install macOS Sequoia 15.7.2-24G325 Safari18-1 --verbose --agree-to-license',
    'softwareupdate --install --all --verbose --agree-to-license',
  ])
})

test('a failure of softwareupdate counts, also if it exits with 0', async () => {
  const { ends, dies } = givenInstaller('softwareupdate')
  const why = () => expect(macosPatches.install(['Safari18-1'])).rejects
  ends(0, 'Software Update Tool\n\nSafari18-1: No such update\nNo updates are available.\n')
  await why().toThrow('Safari18-1: No such update')
  ends(0, 'Downloaded Safari\nError downloading Safari: The network connection was lost.\nDone.\n')
  await why().toThrow('softwareupdate exited with code 0: Error downloading Safari: The network connection')
  ends(0, 'Downloading macOS Sequoia 15.7.2\nNot authenticated\nDone.\n')
  await why().toThrow('This Mac installs macOS upgrades only with the password of an owner.')
  ends(2, GARBAGE)
  await why().toThrow('softwareupdate exited with code 2: no output')
  dies()
  await why().toThrow('softwareupdate exited with code none: no output')
})

test('a Mac needs a restart after an installation that says so', async () => {
  const { ends } = givenInstaller('softwareupdate')
  const mark = join(givenFolder(), 'restart-needed')
  const patches = makeMacosPatches(mark)
  const needsReboot = async () =>
    (await patches.scan({ refresh: 'now', signal: new AbortController().signal })).needsReboot
  ends(0, 'Installed Safari\nDone with Safari\nDone.\n')
  await patches.install(['Safari18-1'])
  expect(await needsReboot()).toBe(false)
  ends(
    0,
    'Installed macOS Sequoia 15.7.2\nDone.\n\nYou have installed one or more updates that requires that you restart your\ncomputer.  Please restart immediately.\n',
  )
  await patches.install(['macOS Sequoia 15.7.2-24G325'])
  expect(await needsReboot()).toBe(true)
})

test.each([
  ['dnf', dnf],
  ['zypper', zypper],
  ['softwareupdate', macosPatches],
])('%s installs nothing without root', async (name, patches) => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000)
  const folder = givenPrograms({ [name]: OUTCOME })
  await expect(patches.install(null)).rejects.toThrow('does not run as root')
  expect(existsSync(join(folder, 'asked'))).toBe(false)
})

const GUIDS = ['8f6f3b1c-0d4e-4a39-9a63-0a6d2a8d9f10', '8f6f3b1c-0d4e-4a39-9a63-0a6d2a8d9f11']

test('Windows Update installs the chosen updates, or all', async () => {
  const folder = givenPrograms({
    powershell: 'echo "$1 $2 $3 [$MUSTER_PATCHES]" >> "$here/asked"; printf "%s" "$4" > "$here/script"',
  })
  await windowsPatches.install(GUIDS)
  await windowsPatches.install(null)
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe(
    `-NoProfile -NonInteractive -Command [${GUIDS.join(' ')}]\n-NoProfile -NonInteractive -Command []\n`,
  )
  const script = readFileSync(join(folder, 'script'), 'utf8')
  expect(script).toContain('Restart the machine to finish.')
  expect(script).toContain('$env:MUSTER_PATCHES')
})

test('a failure of Windows Update is described by its last line', async () => {
  const { ends, dies } = givenInstaller('powershell')
  const why = () => expect(windowsPatches.install(GUIDS)).rejects
  const title = '2026-11 Cumulative Update (KB5068861)'
  // One of two is installed.
  ends(1, `[1 of 2] ${title}\r\n[2 of 2] Other\r\n1 of 2 failed: ${title}: 0x80070643\r\n`)
  await why().toThrow(`failed to install some updates: 1 of 2 failed: ${title}: 0x80070643`)
  ends(1, `1 of 2 failed: ${title}: 0x80240016\r\n`)
  await why().toThrow('another installation is running, or the machine has to restart first (0x80240016).')
  ends(1, 'None of these updates is available any more.\r\n')
  await why().toThrow('None of these updates is available any more.')
  ends(1)
  await why().toThrow('PowerShell printed nothing.')
  ends(1, GARBAGE)
  await why().toThrow('Windows Update failed to install some updates: ')
  dies()
  await why().toThrow('Windows Update failed to install some updates: ')
})

test('a Windows without PowerShell says so', async () => {
  vi.stubEnv('PATH', givenFolder())
  await expect(windowsPatches.install(null)).rejects.toThrow(/powershell/i)
  vi.unstubAllEnvs()
})
