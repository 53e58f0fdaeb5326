import { createHash } from 'node:crypto'
import { MOST_PATCH_BYTES, MOST_PATCHES, Patch, type PatchReport } from '@muster/contract/agent/patches'

const LONGEST = 255

/** Creates a sorted report without duplicates, cut to the limits of the contract. `null` = the scan failed. */
export function makePatchReport(found: readonly Patch[] | null, problem: string | null): PatchReport {
  const told = problem === null ? null : problem.replaceAll(/\s+/g, ' ').slice(0, 1000)
  if (found === null) return { kind: 'patches', found: null, problem: told }
  const sorted = [...new Map(found.map((one) => [one.guid, one]))].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const patches: Patch[] = []
  let bytes = 0
  for (const [, raw] of sorted) {
    const fitting = Patch.safeParse(cut(raw))
    if (!fitting.success) continue
    bytes += Buffer.byteLength(JSON.stringify(fitting.data)) + 1
    if (patches.length >= MOST_PATCHES || bytes > MOST_PATCH_BYTES) break
    patches.push(fitting.data)
  }
  const list = { patches, left_out: sorted.length - patches.length }
  const hash = createHash('sha256').update(JSON.stringify(list)).digest('hex').slice(0, 32)
  return { kind: 'patches', found: { hash, ...list }, problem: told }
}

function cut(one: Patch): Patch {
  const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST)
  return {
    ...one,
    title: line(one.title),
    kb: line(one.kb),
    version: line(one.version),
    current_version: line(one.current_version),
    categories: one.categories.map(line).slice(0, 20),
    description: one.description.slice(0, 2000),
    more_info_urls: one.more_info_urls.map((url) => url.slice(0, 500)).slice(0, 10),
  }
}
