import { z } from 'zod'

/** Of one machine; what is above is left out and counted. */
export const MOST_PACKAGES = 5000
/** The JSON of all of them together, well within a frame. */
export const MOST_SOFTWARE_BYTES = 1_000_000

const Line = z.string().max(255)

/** Who keeps the list that a package stands in; `apps` = programs that a Mac has in its folders. */
export const PackageSource = z.enum(['dpkg', 'rpm', 'windows', 'homebrew', 'apps'])
export type PackageSource = z.infer<typeof PackageSource>

export const InstalledPackage = z.object({
  name: Line.min(1),
  version: Line,
  publisher: Line,
  source: PackageSource,
  /** Bytes; null = the system does not say. */
  size: z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  /** The day when this version came, in UTC where the system keeps a moment. */
  install_date: z.iso.date().nullable(),
  /** The command line that removes it, where the system keeps one. */
  uninstall: z.string().max(1000).nullable(),
})
export type InstalledPackage = z.infer<typeof InstalledPackage>

export const InventoryHash = z.string().regex(/^[0-9a-f]{32}$/)

/**
 * What is installed. Without `inventory` only that it has been looked at: a server that knows another hash, or none,
 * asks for the whole (`report-software`).
 */
export const SoftwareReport = z.object({
  kind: z.literal('software'),
  hash: InventoryHash,
  inventory: z
    .object({
      packages: z.array(InstalledPackage).max(MOST_PACKAGES),
      /** Packages beyond the bounds. */
      left_out: z.int().min(0),
    })
    .nullable(),
})
export type SoftwareReport = z.infer<typeof SoftwareReport>
