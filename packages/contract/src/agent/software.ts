import { PACKAGE_STATES } from '@muster/rules/agents/package-states'
import { z } from 'zod'
import { PackageName } from './patches.ts'

/** Per machine; further ones are left out and counted. */
export const MAX_PACKAGES = 5000
/** Total JSON size, well within a frame. */
export const MAX_SOFTWARE_BYTES = 1_000_000

const Line = z.string().max(255)

/** The list that a package is from; `apps` = application folders of a Mac. */
export const PackageSource = z.enum(['dpkg', 'rpm', 'windows', 'chocolatey', 'homebrew', 'apps'])
export type PackageSource = z.infer<typeof PackageSource>

export const PackageManagerName = z.enum(['apt', 'dnf', 'zypper', 'winget', 'chocolatey', 'homebrew'])
export type PackageManagerName = z.infer<typeof PackageManagerName>

/** An action of a package manager. */
export const PackageChange = z.enum(['install', 'upgrade', 'remove'])

export const PackageState = z.enum(PACKAGE_STATES)

export const InstalledPackage = z.object({
  name: Line.min(1),
  version: Line,
  publisher: Line,
  source: PackageSource,
  /** Bytes; null = unknown. */
  size: z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  /** The day when this version was installed, in UTC if the system stores a time. */
  install_date: z.iso.date().nullable(),
  /** The command line that removes it, if known. */
  uninstall: z.string().max(1000).nullable(),
  /** A newer version that a package manager of the machine offers. */
  available: Line.optional(),
  /** The name that a package manager of the machine knows it by, if it is not `name`: the id of winget. */
  package_id: PackageName.optional(),
  /** Absent = installed as usual. Older agents do not report packages with an unfinished installation. */
  states: z.array(PackageState).max(PACKAGE_STATES.length).optional(),
})
export type InstalledPackage = z.infer<typeof InstalledPackage>

export const InventoryHash = z.string().regex(/^[0-9a-f]{32}$/)

/**
 * The installed software. Without `inventory` it only reports a scan: a server that has another hash, or none,
 * requests the full list (`report-software`).
 */
export const SoftwareReport = z.object({
  kind: z.literal('software'),
  hash: InventoryHash,
  inventory: z
    .object({
      packages: z.array(InstalledPackage).max(MAX_PACKAGES),
      /** Number of packages beyond the limits. */
      left_out: z.int().min(0),
      /** Package managers of the machine. Older agents do not report them. */
      managers: z.array(PackageManagerName).max(10).optional(),
      /** Why newer versions may be missing, as a sentence. */
      upgrades_problem: z.string().max(500).nullish(),
    })
    .nullable(),
})
export type SoftwareReport = z.infer<typeof SoftwareReport>
