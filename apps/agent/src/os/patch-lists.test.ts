import { expect, test } from 'vitest'
import { AptProgress, describeAptFailure } from './linux/apt-install.ts'
import { parseDpkgLog } from './linux/dpkg-logs.ts'
import { parseAptSimulation } from './linux/patches.ts'
import { describeDnfFailure, parseDnfUpdates, parseRpmTimes } from './linux/dnf.ts'
import { describeZypperFailure, parseZypperHistory, parseZypperUpdates } from './linux/zypper.ts'
import { parseInstallHistory, parseSoftwareUpdates } from './macos/patches.ts'
import { makePatch } from './package-tools.ts'
import { describeHresult, parseWindowsHistory, parseWindowsUpdates } from './windows/patches.ts'

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

const ZYPPER = `<?xml version='1.0'?>
<stream>
<message type="info">Loading repository data...</message>
<update-status version="0.6">
<update-list>
  <update name="SUSE-2026-4318" edition="1" arch="noarch" status="needed" category="security" severity="important" pkgmanager="false" restart="false" interactive="reboot" kind="patch">
    <summary>Security update for the &quot;Linux&quot; kernel</summary>
    <description>Fixes CVE-2026-1 &amp; others.</description>
    <source url="https://example.org" alias="update"/>
  </update>
  <update name="SUSE-2026-1" edition="2" status="applied" category="recommended" severity="low" kind="patch">
    <summary>Already there</summary>
  </update>
</update-list>
</update-status>
</stream>
`

test('zypper patches with severity and category, or packages where there are no patches', () => {
  expect(parseZypperUpdates(ZYPPER)).toEqual([
    makePatch({
      guid: 'patch:SUSE-2026-4318',
      source: 'zypper',
      title: 'Security update for the "Linux" kernel',
      version: '1',
      severity: 'Important',
      security: true,
      categories: ['security'],
      description: 'Fixes CVE-2026-1 & others.',
      needs_reboot: true,
    }),
  ])
  const packages = `<update-list><update kind="package" name="vim" edition="9.1-2.1" arch="x86_64" edition-old="9.0-1.1">
<summary>Vi IMproved</summary></update></update-list>`
  expect(parseZypperUpdates(packages)).toMatchObject([
    {
      guid: 'vim',
      title: 'vim',
      version: '9.1-2.1',
      current_version: '9.0-1.1',
      severity: '',
      security: false,
    },
  ])
  expect(describeZypperFailure({ code: 7, said: '' })).toMatch(/^Another package manager is running/)
  expect(describeZypperFailure({ code: 104, said: "No provider of 'x0vnc' found.\n'x0vnc' not found" })).toBe(
    "Package not found: 'x0vnc' not found",
  )
  expect(
    describeZypperFailure({
      code: 4,
      said: '<message type="error">Problem: nothing provides &lt;a&gt;</message>',
    }),
  ).toBe('zypper exited with code 4: Problem: nothing provides <a>')
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

const utc = (local: string) => new Date(local).toISOString()

test('the log of dpkg gives the finished upgrades, and no new packages', () => {
  const log = `2026-11-20 10:00:00 startup archives unpack
2026-11-20 10:00:00 upgrade libc6:i386 2.36-9 2.36-10
2026-11-20 10:00:01 status installed libc6:i386 2.36-9
2026-11-20 10:00:07 status installed libc6:i386 2.36-10
2026-11-20 10:00:08 install tree:all <none> 2.1.0-1
2026-11-20 10:00:08 status installed tree:all 2.1.0-1
2026-11-20 10:00:09 upgrade tzdata:all 2025b 2026a
2026-11-20 10:00:11 status half-configured tzdata:all 2026a
99 nonsense upgrade x
`
  expect(parseDpkgLog(log)).toEqual([
    {
      guid: 'libc6:i386',
      source: 'apt',
      title: 'libc6:i386',
      kb: '',
      version: '2.36-10',
      severity: '',
      installed_at: utc('2026-11-20T10:00:07'),
    },
  ])
})

test('rpm gives what was installed after the system itself', () => {
  const rows = [
    '1700000000\tfilesystem.x86_64\t3.16-5.el9',
    '1700000900\tbash.x86_64\t5.1.8-9.el9',
    '1732100000\topenssl-libs.x86_64\t1:3.2.2-6.el9_5',
    '(none)\tgpg-pubkey.(none)\t1-2',
  ]
  expect(parseRpmTimes(rows.join('\n'), 'dnf')).toMatchObject([
    {
      guid: 'openssl-libs.x86_64',
      title: 'openssl-libs',
      version: '1:3.2.2-6.el9_5',
      installed_at: '2024-11-20T10:53:20.000Z',
    },
  ])
  expect(parseRpmTimes('', 'dnf')).toEqual([])
})

test('the history of zypper gives its applied patches', () => {
  const history = `# 2026-11-20 10:00:00 vim-9.1
2026-11-20 10:00:00|install|vim|9.1-2.1|x86_64||update|abc|
2026-11-20 10:00:01|patch  |SUSE-2026-4318|1|noarch|update|important|security|needed|applied|
2026-11-20 10:00:02|patch  |SUSE-2026-4319|1|noarch|update|low|recommended|needed|broken|
`
  expect(parseZypperHistory(history)).toMatchObject([
    {
      guid: 'patch:SUSE-2026-4318',
      version: '1',
      severity: 'Important',
      installed_at: utc('2026-11-20T10:00:01'),
    },
  ])
})

test('the history of Windows Update gives installations that succeeded, with their KB', () => {
  const entry = {
    guid: '8f6f3b1c-0d4e-4a39-9a63-0a6d2a8d9f10',
    title: '2026-11 Cumulative Update for Windows 11 (KB5068861)',
    operation: 1,
    result: 2,
    date: '2026-11-20T10:00:00Z',
  }
  const history = [
    entry,
    { ...entry, result: 4, title: 'Failed' },
    { ...entry, operation: 2, title: 'Removed' },
    { ...entry, date: 'nonsense' },
    { ...entry, result: 3, title: 'Definition Update' },
    null,
  ]
  expect(parseWindowsHistory(`\uFEFF${JSON.stringify(history)}`)).toMatchObject([
    { title: entry.title, kb: 'KB5068861', installed_at: '2026-11-20T10:00:00.000Z' },
    { title: 'Definition Update', kb: '' },
  ])
  expect(parseWindowsHistory('')).toBeUndefined()
})

test('the install history of macOS gives the updates of Apple', () => {
  const row = {
    _name: 'macOS Sequoia 15.7.2',
    install_date: '2026-11-20T10:00:00Z',
    install_version: '15.7.2',
    package_source: 'package_source_apple',
  }
  const other = { ...row, _name: 'Zoom', package_source: 'package_source_other' }
  const nameless = { ...row, _name: ' ' }
  const SPInstallHistoryDataType = [row, other, nameless, 7]
  expect(parseInstallHistory(JSON.stringify({ SPInstallHistoryDataType }))).toMatchObject([
    {
      guid: 'macOS Sequoia 15.7.2-15.7.2',
      title: 'macOS Sequoia 15.7.2',
      installed_at: '2026-11-20T10:00:00.000Z',
    },
  ])
  expect(parseInstallHistory('')).toBeUndefined()
})
