import { createHash } from 'node:crypto'
import {
  InstalledPackage,
  MOST_PACKAGES,
  MOST_SOFTWARE_BYTES,
  type SoftwareReport,
} from '@muster/contract/agent/software'

const MOST_LINE = 255

/** Creates a sorted report without duplicates, cut to the limits of the contract. */
export function makeSoftwareReport(found: readonly InstalledPackage[]) {
  const once = new Map(
    found.map((one) => [JSON.stringify([one.name, one.source, one.version]), one] as const),
  )
  const sorted = [...once].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const packages: InstalledPackage[] = []
  let bytes = 0
  for (const [, raw] of sorted) {
    const fitting = InstalledPackage.safeParse(cut(raw))
    if (!fitting.success) continue
    bytes += Buffer.byteLength(JSON.stringify(fitting.data)) + 1
    if (packages.length >= MOST_PACKAGES || bytes > MOST_SOFTWARE_BYTES) break
    packages.push(fitting.data)
  }
  const inventory = { packages, left_out: sorted.length - packages.length }
  const hash = createHash('sha256').update(JSON.stringify(inventory)).digest('hex').slice(0, 32)
  return { kind: 'software', hash, inventory } satisfies SoftwareReport
}

function cut(one: InstalledPackage): InstalledPackage {
  const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_LINE)
  return {
    ...one,
    name: line(one.name),
    version: line(one.version),
    publisher: line(one.publisher),
    uninstall: one.uninstall?.slice(0, 1000) ?? null,
  }
}
