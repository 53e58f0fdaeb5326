import { expect, test } from 'vitest'
import { AptProgress, describeAptFailure } from './linux/apt-install.ts'
import { parseAptSimulation } from './linux/patches.ts'
import { describeDnfFailure, parseDnfUpdates } from './linux/dnf.ts'
import { parseSoftwareUpdates } from './macos/patches.ts'
import { describeHresult, parseWindowsUpdates } from './windows/patches.ts'

const APT = `NOTE: This is only a simulation!
Reading package lists...
Building dependency tree...
The following packages have been kept back:
  docker-ce
The following packages will be upgraded:
  libc6 libc6:i386 linux-image-amd64
Inst libc6 [2.36-9+deb12u9] (2.36-9+deb12u13 Debian:12.12/oldstable, Debian-Security:12/oldstable-security [amd64]) [libc6:i386 on libc6:amd64] [libc6:i386 ]
Inst libc6:i386 [2.36-9+deb12u9] (2.36-9+deb12u13 Debian:12.12/oldstable [i386])
Inst linux-image-6.1.0-41-amd64 (6.1.158-1 Debian-Security:12/oldstable-security [amd64])
Inst linux-image-amd64 [6.1.153-1] (6.1.158-1 Debian-Security:12/oldstable-security [amd64])
Conf libc6 (2.36-9+deb12u13 Debian:12.12/oldstable [amd64])
`

test('apt upgrades without new dependencies and held packages', () => {
  const patches = parseAptSimulation(APT)
  expect(
    patches.map((one) => [one.guid, one.current_version, one.version, one.security, one.needs_reboot]),
  ).toEqual([
    ['libc6', '2.36-9+deb12u9', '2.36-9+deb12u13', true, false],
    ['libc6:i386', '2.36-9+deb12u9', '2.36-9+deb12u13', false, false],
    ['linux-image-amd64', '6.1.153-1', '6.1.158-1', true, true],
  ])
})

const LOCK = `E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)
N: Be aware that removing the lock file is not a solution and may break your system.
E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?`

test.each([
  [
    LOCK,
    'Another package manager is running: unattended-upgr, process 4711. Try again when it has finished.',
  ],
  [
    'E: Packages need to be removed but remove is disabled.',
    'Nothing was installed, because other packages would have to be removed. Use a terminal.',
  ],
  [
    'E: Failed to fetch http://deb.example/x.deb  Connection failed\nE: Unable to fetch some archives',
    'Failed to download packages: Unable to fetch some archives',
  ],
  ["E: You don't have enough free space in /var/cache/apt/archives/.", 'Not enough free disk space.'],
  ['', 'apt-get exited with code 100.'],
])('an apt error becomes a message: %s', (said, sentence) => {
  expect(describeAptFailure({ code: 100, said })).toBe(sentence)
})

test('the progress of apt becomes lines, however its output is split', () => {
  const lines: string[] = []
  const progress = new AptProgress((line) => lines.push(line))
  const all =
    'dlstatus:1:50.0:Fetching\npmstatus:tzdata:0.0:Unp\npmstatus:libc6:amd64:50.0:Configuring: x\npmerror:x:1:y\npmstatus:tzdata:100.0:Installed\nnonsense\n'
  for (let at = 0; at < all.length; at += 7) progress.take(all.slice(at, at + 7))
  expect(lines).toEqual(['Progress: 15 %', 'Progress: 30 %', 'Progress: 65 %', 'Progress: 100 %'])
})

const DNF = `
kernel.x86_64                       5.14.0-503.14.1.el9_5            baseos
openssl-libs.x86_64                 1:3.2.2-6.el9_5                  baseos
vim-minimal.x86_64                  2:8.2.2637-21.el9                baseos
Obsoleting Packages
grub2-tools.x86_64                  1:2.06-94.el9                    baseos
    grub2-tools.x86_64              1:2.06-80.el9                    @anaconda
`
const SECURITY = `RHSA-2024:9991 Important/Sec. kernel-5.14.0-503.14.1.el9_5.x86_64
RLSA-2024:1 Low/Sec.  openssl-libs-1:3.2.2-6.el9_5.x86_64
`

test('dnf upgrades with versions from rpm and security advisories', () => {
  const patches = parseDnfUpdates(DNF, { installed: 'kernel.x86_64\t5.14.0-427.el9\n', security: SECURITY })
  expect(
    patches.map((one) => [
      one.guid,
      one.current_version,
      one.version,
      one.severity,
      one.security,
      one.needs_reboot,
    ]),
  ).toEqual([
    ['kernel.x86_64', '5.14.0-427.el9', '5.14.0-503.14.1.el9_5', 'Important', true, true],
    ['openssl-libs.x86_64', '', '1:3.2.2-6.el9_5', 'Low', true, false],
    ['vim-minimal.x86_64', '', '2:8.2.2637-21.el9', '', false, false],
  ])
  const newer = 'FEDORA-2025-1a2b security Moderate kernel-5.14.0-503.14.1.el9_5.x86_64 2025-01-01 00:00:00'
  expect(parseDnfUpdates(DNF, { installed: '', security: newer })[0]).toMatchObject({
    severity: 'Moderate',
    security: true,
  })
  expect(describeDnfFailure({ code: 200, said: '' })).toMatch(/^Another package manager is running/)
  expect(describeDnfFailure({ code: 1, said: 'Error: Unable to find a match: x0vnc' })).toBe(
    'Package not found: Error: Unable to find a match: x0vnc',
  )
})

const WINDOWS = JSON.stringify([
  {
    guid: '8f6f3b1c-0d4e-4a39-9a63-0a6d2a8d9f10',
    title: '2026-11 Cumulative Update for Windows 11 Version 24H2 for x64-based Systems (KB5068861)',
    description: 'Install this update to resolve issues in Windows.',
    severity: 'Critical',
    categories: ['Security Updates', 'Windows 11'],
    kbs: ['5068861'],
    urls: 'https://support.microsoft.com/help/5068861',
    size: 4_912_345_678,
    downloaded: true,
    reboot: true,
  },
  {
    guid: '8f6f3b1c-0d4e-4a39-9a63-0a6d2a8d9f11',
    title: 'Definition Update',
    severity: null,
    categories: [],
    kbs: [],
    urls: null,
  },
  { guid: 'no id', title: 'x' },
  'nonsense',
])

test('Windows updates with values of any type', () => {
  const patches = parseWindowsUpdates(`\uFEFF${WINDOWS}\r\n`)
  expect(patches).toHaveLength(2)
  expect(patches?.[0]).toMatchObject({
    kb: 'KB5068861',
    severity: 'Critical',
    security: true,
    more_info_urls: ['https://support.microsoft.com/help/5068861'],
    size: 4_912_345_678,
    downloaded: true,
    needs_reboot: true,
  })
  expect(patches?.[1]).toMatchObject({ severity: '', kb: '', security: false })
  expect(parseWindowsUpdates('[]')).toEqual([])
  expect(parseWindowsUpdates('Exception from HRESULT: 0x8024402C')).toBeUndefined()
  expect(describeHresult('Exception from HRESULT: 0x8024402C')).toBe(
    'the name of the update server cannot be resolved (0x8024402C).',
  )
})

const MACOS = `Software Update Tool

Finding available software
Software Update found the following new or updated software:
* Label: macOS Sequoia 15.7.2-24G325
	Title: macOS Sequoia 15.7.2, Version: 15.7.2, Size: 1580932KiB, Recommended: YES, Action: restart, 
* Label: Command Line Tools for Xcode-16.4
	Title: Command Line Tools for Xcode, Version: 16.4, Size: 934K, Recommended: YES, 
   * Safari12.0
	Safari (12.0), 67518K [recommended]
`

test('softwareupdate lists of current and old systems', () => {
  const patches = parseSoftwareUpdates(MACOS)
  expect(patches.map((one) => [one.guid, one.title, one.version, one.needs_reboot])).toEqual([
    ['macOS Sequoia 15.7.2-24G325', 'macOS Sequoia 15.7.2', '15.7.2', true],
    ['Command Line Tools for Xcode-16.4', 'Command Line Tools for Xcode', '16.4', false],
    ['Safari12.0', 'Safari12.0', '', false],
  ])
  expect(patches[0]?.size).toBe(1_580_932 * 1024)
  expect(parseSoftwareUpdates('Software Update Tool\n\nFinding available software\n')).toEqual([])
})
