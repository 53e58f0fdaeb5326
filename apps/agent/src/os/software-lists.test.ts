import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenFolder } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { listHomebrew } from './package-tools.ts'
import { linuxSoftware, parseDpkg, parseRpm } from './linux/software.ts'
import { parseApplications } from './macos/software.ts'

const signal = new AbortController().signal

const DPKG = `install ok installed	adduser	all	3.134	686	1747699200	Debian Adduser Developers <adduser@packages.debian.org>
install ok installed	dpkg	amd64	1.21.22	6393	1747699200	Dpkg Developers <debian-dpkg@lists.debian.org>
install ok installed	libc6	amd64	2.36-9+deb12u13	12986	1763726611	GNU Libc Maintainers <debian-glibc@lists.debian.org>
install ok installed	libc6	i386	2.36-9+deb12u13	12986	1763726611	GNU Libc Maintainers <debian-glibc@lists.debian.org>
deinstall ok config-files	nginx	amd64	1.22.1-9	1200	1763726611	Debian Nginx Maintainers <x@y>
install ok installed	old-dpkg	amd64	1.0	88		
install ok half-configured	postfix	amd64	3.7.11	4000	1763726611	
install ok triggers-pending	man-db	amd64	2.11.2	3000	1763726611	
install ok triggers-awaited	udev	amd64	252	3000	1763726611	
install reinstreq half-installed	broken	amd64	1.1	3000	1763726611	
install ok unpacked	samba	amd64	4.17	3000	1763726611	
hold ok installed	linux-image	amd64	6.1	3000	1763726611	
hold ok half-configured	held-and-half	amd64	6.1	3000	1763726611	
deinstall ok half-configured	leaving	amd64	1.0	3000	1763726611	
unknown ok not-installed	never				1763726611	
install ok half-installed	first-try	amd64		3000	1763726611	
half a line
`

test('packages of dpkg, without removed ones that left configuration behind', () => {
  expect(parseDpkg(DPKG)).toEqual([
    {
      name: 'adduser',
      version: '3.134',
      publisher: 'Debian Adduser Developers',
      source: 'dpkg',
      size: 686 * 1024,
      install_date: '2025-05-20',
      uninstall: null,
    },
    expect.objectContaining({ name: 'dpkg' }),
    expect.objectContaining({ name: 'libc6', version: '2.36-9+deb12u13', install_date: '2025-11-21' }),
    expect.objectContaining({ name: 'libc6:i386' }),
    expect.objectContaining({ name: 'old-dpkg', publisher: '', install_date: null }),
    expect.objectContaining({ name: 'postfix', version: '3.7.11', states: ['half-configured'] }),
    expect.objectContaining({ name: 'man-db', states: ['triggers-pending'] }),
    expect.objectContaining({ name: 'udev', states: ['triggers-awaited'] }),
    expect.objectContaining({ name: 'broken', states: ['half-installed', 'reinstall'] }),
    expect.objectContaining({ name: 'samba', states: ['unpacked'] }),
    expect.objectContaining({ name: 'linux-image', states: ['held'] }),
    expect.objectContaining({ name: 'held-and-half', states: ['half-configured', 'held'] }),
    expect.objectContaining({ name: 'leaving', states: ['half-configured'] }),
    expect.objectContaining({ name: 'first-try', version: '', states: ['half-installed'] }),
  ])
})

const RPM = `bash	5.1.8-9.el9	x86_64	7738634	1716902814	Rocky Enterprise Software Foundation
dbus	1:1.12.20-8.el9	x86_64	0	1716902821	Rocky Enterprise Software Foundation
glibc	2.34-100.el9	i686	6330000	1716902821	Rocky Enterprise Software Foundation
gpg-pubkey	350d275d-6279464b	(none)	0	1716902900	(none)
zoom	6.0.2.4680-1	x86_64	733655212	1716903000	(none)
`

test('packages of rpm, with epochs and other architectures, without keys', () => {
  expect(parseRpm(RPM).map(({ name, version, publisher }) => [name, version, publisher])).toEqual([
    ['bash', '5.1.8-9.el9', 'Rocky Enterprise Software Foundation'],
    ['dbus', '1:1.12.20-8.el9', 'Rocky Enterprise Software Foundation'],
    ['glibc:i686', '2.34-100.el9', 'Rocky Enterprise Software Foundation'],
    ['zoom', '6.0.2.4680-1', ''],
  ])
  expect(parseRpm(RPM)[0]).toMatchObject({ source: 'rpm', size: 7_738_634, install_date: '2024-05-28' })
})

const PROFILE = JSON.stringify({
  SPApplicationsDataType: [
    {
      _name: 'Firefox',
      arch_kind: 'arch_arm_i64',
      lastModified: '2026-10-29T14:02:11Z',
      obtained_from: 'identified_developer',
      path: '/Applications/Firefox.app',
      signed_by: ['Developer ID Application: Mozilla Corporation (43AQ936H96)', 'Apple Root CA'],
      version: '132.0.1',
    },
    { _name: 'Own tool', path: '/Users/ada/Applications/Own tool.app' },
    { _name: 'Dock', path: '/System/Library/CoreServices/Dock.app', version: '1.8' },
  ],
})

test('programs of a Mac, without system parts', () => {
  expect(parseApplications(PROFILE)).toEqual([
    {
      name: 'Firefox',
      version: '132.0.1',
      publisher: 'Mozilla Corporation',
      source: 'apps',
      size: null,
      install_date: '2026-10-29',
      uninstall: null,
    },
    expect.objectContaining({ name: 'Own tool', version: '', publisher: '' }),
  ])
  expect(parseApplications('{}')).toBeUndefined()
})

test('formulae and casks of Homebrew with each version', () => {
  const prefix = givenFolder()
  for (const path of [
    'Cellar/jq/1.7.1',
    'Cellar/node/22.9.0',
    'Cellar/node/24.1.0',
    'Caskroom/iterm2/3.5.4/.x',
  ])
    mkdirSync(join(prefix, path), { recursive: true })
  expect(listHomebrew([prefix, '/no/such']).map(({ name, version }) => `${name} ${version}`)).toEqual([
    'jq 1.7.1',
    'node 22.9.0',
    'node 24.1.0',
    'iterm2 3.5.4',
  ])
})

test('the lists of two package managers are merged, and a failing one is reported', async () => {
  const print = (text: string) => `cat <<'END'\n${text}END`
  givenPrograms({ 'dpkg-query': print(DPKG), rpm: print(RPM) })
  expect(await linuxSoftware.list(signal)).toHaveLength(18)
  givenPrograms({ 'dpkg-query': 'echo "dpkg-query: error: parsing file" >&2; exit 2', rpm: 'true' })
  await expect(linuxSoftware.list(signal)).rejects.toThrow(
    'dpkg-query failed to list the software: dpkg-query: error: parsing file',
  )
})
