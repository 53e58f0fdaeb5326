import { createHash } from 'node:crypto'
import type { InstalledPackage, SoftwareReport } from '@muster/contract/agent/software'
import { Random } from './random.ts'

/** Hardware and systems of simulated machines. */
export type SystemKind = 'server' | 'workstation' | 'mac'

interface System {
  platform: 'windows' | 'linux' | 'darwin'
  name: string
  version: string
  cpus: [string, ...string[]]
}

const OFFICE_CPUS: System['cpus'] = [
  'Intel Core i5-12400',
  'Intel Core i7-1265U',
  'AMD Ryzen 5 5600G',
  'AMD Ryzen 7 7840U',
]
const SERVER_CPUS: System['cpus'] = ['Intel Xeon Silver 4310', 'AMD EPYC 7313P', 'Intel Xeon E-2388G']
const APPLE_CPUS: System['cpus'] = ['Apple M1', 'Apple M2 Pro', 'Apple M3']

export const SYSTEMS: Record<SystemKind, [System, ...System[]]> = {
  server: [
    { platform: 'linux', name: 'Debian GNU/Linux', version: '12', cpus: SERVER_CPUS },
    { platform: 'linux', name: 'Ubuntu', version: '24.04.1 LTS', cpus: SERVER_CPUS },
    { platform: 'linux', name: 'Rocky Linux', version: '9.4', cpus: SERVER_CPUS },
    { platform: 'windows', name: 'Windows Server 2022 Standard', version: '10.0.20348', cpus: SERVER_CPUS },
    { platform: 'windows', name: 'Windows Server 2019 Standard', version: '10.0.17763', cpus: SERVER_CPUS },
  ],
  workstation: [
    { platform: 'windows', name: 'Windows 11 Pro', version: '10.0.26100', cpus: OFFICE_CPUS },
    { platform: 'windows', name: 'Windows 11 Enterprise', version: '10.0.22631', cpus: OFFICE_CPUS },
    { platform: 'windows', name: 'Windows 10 Pro', version: '10.0.19045', cpus: OFFICE_CPUS },
    { platform: 'linux', name: 'Fedora Linux', version: '41', cpus: OFFICE_CPUS },
  ],
  mac: [
    { platform: 'darwin', name: 'macOS Sequoia', version: '15.1', cpus: APPLE_CPUS },
    { platform: 'darwin', name: 'macOS Sonoma', version: '14.7', cpus: APPLE_CPUS },
  ],
}

export const MODELS: Record<SystemKind, [[string, string], ...[string, string][]]> = {
  server: [
    ['Dell Inc.', 'PowerEdge R650'],
    ['HPE', 'ProLiant DL380 Gen10'],
    ['Supermicro', 'SYS-5019C'],
    ['QEMU', 'Standard PC (Q35)'],
  ],
  workstation: [
    ['LENOVO', 'ThinkPad T14 Gen 4'],
    ['Dell Inc.', 'OptiPlex 7010'],
    ['HP', 'EliteDesk 800 G9'],
    ['FUJITSU', 'ESPRIMO D7012'],
  ],
  mac: [
    ['Apple Inc.', 'MacBookPro18,3'],
    ['Apple Inc.', 'Mac14,2'],
  ],
}

export const PEOPLE: [string, ...string[]] = [
  'anna',
  'bela',
  'carlos',
  'dunja',
  'emre',
  'fatima',
  'grace',
  'hiro',
  'ines',
  'jörg',
  'kasia',
  'liam',
  'mira',
  'noor',
  'olga',
  'priya',
]

export const ZONES: [string, ...string[]] = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Tokyo',
  'Australia/Sydney',
]

const WORDS: [string, ...string[]] = ['acl', 'base', 'curl', 'dbus', 'font', 'glib', 'icu', 'jpeg', 'perl', 'ssl', 'tls', 'xml', 'zip'] // prettier-ignore
const KINDS: [string, ...string[]] = ['lib', 'python3-', 'golang-', 'node-', 'fonts-', '']
const VERSIONS = 4
/** Percentage of a machine's packages that all machines have. */
const COMMON = 80

/** Installed software of the machine with this index: mostly common packages, each in one of a few versions. */
export function makeSoftware(seed: number, index: number, count: number) {
  const own = new Random(seed * 31 + index)
  const packages = Array.from({ length: count }, (_, at): InstalledPackage => {
    const isCommon = at < (count * COMMON) / 100
    const number = isCommon ? at : count + own.below(count * 20)
    const named = new Random(number)
    return {
      name: `${named.pick(KINDS)}${named.pick(WORDS)}${number}`,
      version: `${1 + named.below(9)}.${own.below(VERSIONS)}-1`,
      publisher: 'Debian Example Maintainers',
      source: 'dpkg',
      size: 1024 * (1 + named.below(90_000)),
      install_date: `2026-0${1 + own.below(9)}-1${own.below(9)}`,
      uninstall: null,
    }
  })
  const once = [...new Map(packages.map((one) => [one.name, one])).values()]
  const hash = createHash('sha256').update(JSON.stringify(once)).digest('hex').slice(0, 32)
  return { kind: 'software', hash, inventory: { packages: once, left_out: 0 } } satisfies SoftwareReport
}
