import { createHash } from 'node:crypto'
import type { InstalledPackage, SoftwareReport } from '@muster/contract/agent/software'
import { Random } from './random.ts'

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
