import { setPriority } from 'node:os'
import {
  InstalledPackage,
  MAX_PACKAGES,
  MAX_SOFTWARE_BYTES,
  type SoftwareReport,
} from '@muster/contract/agent/software'
import { createHash } from 'node:crypto'
import {
  InstalledPatch,
  type InstalledPatchReport,
  MAX_INSTALLED_PATCH_BYTES,
  MAX_INSTALLED_PATCHES,
  MAX_PATCH_BYTES,
  MAX_PATCHES,
  Patch,
  type PatchReport,
} from '@muster/contract/agent/patches'
import type { SoftwareSummary } from '../collectors/child-reports.ts'
import type { PackageUpgrade, UpgradeScan } from '../os/package-managers.ts'
import { os } from '../os/index.ts'
import { CliError, MeasureError } from '../errors.ts'

/** Below the work of the machine, but not starved by it: a user may wait for the result. */
export const LOW = 5

/** Runs in the agent's child process. Prints a summary of the installed software and a report. */
export async function printSoftware(much: 'all' | 'hash'): Promise<void> {
  setPriority(LOW)
  const [tools, packages] = await Promise.all([os.loadSoftwareTools(), os.loadPackageTools()])
  const [listed, scan] = await Promise.all([list(), packages.findUpgrades(new AbortController().signal)])
  const report = makeSoftwareReport(addUpgrades(listed, scan.upgrades), scan)
  const summary: SoftwareSummary = { hash: report.hash, count: report.inventory.packages.length }
  const reported: SoftwareReport = much === 'all' ? report : { ...report, inventory: null }
  process.stdout.write(`${JSON.stringify(summary)}\n${JSON.stringify(reported)}`)

  async function list() {
    try {
      return await tools.list(new AbortController().signal)
    } catch (cause) {
      if (cause instanceof MeasureError) throw new CliError(cause.message)
      throw cause
    }
  }
}

const LOOK_EVERY_MS = 1000

/** Runs in the agent's child process. Prints a summary, a report of the available patches, and one of those installed. */
export async function printPatches(refresh: 'now' | 'when old'): Promise<void> {
  setPriority(LOW)
  const signal = stopWithAgent()
  const tools = await os.loadPatchTools()
  const { report, needsReboot } = await look()
  const installed = JSON.stringify(await listInstalled())
  const summary = { needsReboot, installedHash: hashOf(installed) }
  process.stdout.write([JSON.stringify(summary), JSON.stringify(report), installed].join('\n'))

  async function listInstalled() {
    try {
      return makeInstalledReport(await tools.listInstalled(signal))
    } catch (cause) {
      // The scan itself says why the tools of the system fail.
      if (cause instanceof MeasureError) return null
      throw cause
    }
  }

  async function look() {
    try {
      const { patches, problem, needsReboot } = await tools.scan({ refresh, signal })
      return { report: makePatchReport(patches, problem), needsReboot: needsReboot ?? null }
    } catch (cause) {
      if (!(cause instanceof MeasureError)) throw cause
      return { report: makePatchReport(null, cause.message), needsReboot: null }
    }
  }
}

/** Aborted when the agent asks for it or has exited. The patch tools would continue without the agent otherwise. */
function stopWithAgent(): AbortSignal {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const agent = process.ppid
  setInterval(() => {
    if (process.ppid !== agent) stop.abort()
  }, LOOK_EVERY_MS).unref()
  return stop.signal
}

/** Runs in the agent's child process. Prints the slow facts as JSON. */
export async function printSlowFacts(): Promise<void> {
  const { readGuests } = await import('../os/guests.ts')
  const [facts, guests] = await Promise.all([os.readSlowFacts(), readGuests()])
  process.stdout.write(JSON.stringify({ ...facts, guests }))
}

const MAX_LINE_CHARACTERS = 255

/** Marks the packages that a package manager can upgrade. */
export function addUpgrades(
  listed: readonly InstalledPackage[],
  upgrades: readonly PackageUpgrade[],
): InstalledPackage[] {
  const byName = Map.groupBy(upgrades, ({ source, name }) => `${source} ${name}`)
  return listed.map((one) => {
    const found = byName
      .get(`${one.source} ${one.name}`)
      ?.find(({ version }) => version === '' || version === one.version)
    if (found === undefined) return one
    const { available, packageId } = found
    return {
      ...one,
      ...(available === undefined ? {} : { available }),
      ...(packageId === undefined ? {} : { package_id: packageId }),
    }
  })
}

/** Creates a sorted report without duplicates, cut to the limits of the contract. */
export function makeSoftwareReport(
  found: readonly InstalledPackage[],
  { managers, problem }: Pick<UpgradeScan, 'managers' | 'problem'> = { managers: [], problem: null },
) {
  const once = new Map(
    found.map((one) => [JSON.stringify([one.name, one.source, one.version]), one] as const),
  )
  const sorted = [...once].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const packages: InstalledPackage[] = []
  let bytes = 0
  for (const [, raw] of sorted) {
    const fitting = InstalledPackage.safeParse(cutPackage(raw))
    if (!fitting.success) continue
    bytes += Buffer.byteLength(JSON.stringify(fitting.data)) + 1
    if (packages.length >= MAX_PACKAGES || bytes > MAX_SOFTWARE_BYTES) break
    packages.push(fitting.data)
  }
  const inventory = {
    packages,
    left_out: sorted.length - packages.length,
    managers: [...managers],
    upgrades_problem: problem === null ? null : line(problem).slice(0, 500),
  }
  const hash = hashOf(JSON.stringify(inventory))
  return { kind: 'software', hash, inventory } satisfies SoftwareReport
}

const hashOf = (json: string) => createHash('sha256').update(json).digest('hex').slice(0, 32)

const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE_CHARACTERS)

function cutPackage(one: InstalledPackage): InstalledPackage {
  return {
    ...one,
    name: line(one.name),
    version: line(one.version),
    publisher: line(one.publisher),
    uninstall: one.uninstall?.slice(0, 1000) ?? null,
    ...(one.available === undefined ? {} : { available: line(one.available) }),
  }
}

/** Creates a sorted report without duplicates, cutPatch to the limits of the contract. `null` = the scan failed. */
export function makePatchReport(found: readonly Patch[] | null, problem: string | null): PatchReport {
  const reported = problem === null ? null : problem.replaceAll(/\s+/g, ' ').slice(0, 1000)
  if (found === null) return { kind: 'patches', found: null, problem: reported }
  const sorted = [...new Map(found.map((one) => [one.guid, one]))].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const patches: Patch[] = []
  let bytes = 0
  for (const [, raw] of sorted) {
    const fitting = Patch.safeParse(cutPatch(raw))
    if (!fitting.success) continue
    bytes += Buffer.byteLength(JSON.stringify(fitting.data)) + 1
    if (patches.length >= MAX_PATCHES || bytes > MAX_PATCH_BYTES) break
    patches.push(fitting.data)
  }
  const list = { patches, left_out: sorted.length - patches.length }
  const hash = hashOf(JSON.stringify(list))
  return { kind: 'patches', found: { hash, ...list }, problem: reported }
}

function cutPatch(one: Patch): Patch {
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

/** Creates a report of the newest patches without duplicates, cut to the limits of the contract. */
export function makeInstalledReport(found: readonly InstalledPatch[]): InstalledPatchReport {
  const once = new Map(found.map((one) => [`${one.installed_at}\n${one.guid}\n${one.version}`, one]))
  const sorted = [...once].toSorted(([a], [b]) => (a > b ? -1 : 1))
  const patches: InstalledPatch[] = []
  let bytes = 0
  for (const [, raw] of sorted) {
    const fitting = InstalledPatch.safeParse({
      ...raw,
      title: line(raw.title),
      kb: line(raw.kb),
      version: line(raw.version),
    })
    if (!fitting.success) continue
    bytes += Buffer.byteLength(JSON.stringify(fitting.data)) + 1
    if (patches.length >= MAX_INSTALLED_PATCHES || bytes > MAX_INSTALLED_PATCH_BYTES) break
    patches.push(fitting.data)
  }
  return { kind: 'installed-patches', patches }
}
