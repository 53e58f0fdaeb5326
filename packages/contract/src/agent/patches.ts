import { z } from 'zod'

/** Per machine; further ones are left out and counted. */
export const MAX_PATCHES = 1000
/** Total JSON size, well within a frame. */
export const MAX_PATCH_BYTES = 500_000
/** Installed patches per machine; older ones are left out. */
export const MAX_INSTALLED_PATCHES = 500
export const MAX_INSTALLED_PATCH_BYTES = 150_000

const Line = z.string().max(255)

/** The tool that finds and installs a patch. */
export const PatchSource = z.enum(['apt', 'dnf', 'zypper', 'windows', 'softwareupdate'])
export type PatchSource = z.infer<typeof PatchSource>

export const PatchSeverity = z.enum(['Critical', 'Important', 'Moderate', 'Low', ''])

/** The name that the machine installs it by. */
export const PatchGuid = z
  .string()
  .min(1)
  .max(255)
  // The installing program would read a leading dash as an option.
  .regex(/^[^-\s][^\r\n\0]*$/, 'Invalid patch name')

/** An available update of an installed package. */
export const Patch = z.object({
  guid: PatchGuid,
  source: PatchSource,
  title: Line.min(1),
  /** Windows only: KB5031354. */
  kb: Line,
  version: Line,
  /** The installed version; empty = unknown. */
  current_version: Line,
  severity: PatchSeverity,
  /** A security update, by its vendor. */
  security: z.boolean(),
  categories: z.array(Line).max(20),
  description: z.string().max(2000),
  more_info_urls: z.array(z.string().max(500)).max(10),
  /** Bytes; null = unknown. */
  size: z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  downloaded: z.boolean(),
  /** Needs a reboot, as far as known before the installation. */
  needs_reboot: z.boolean(),
})
export type Patch = z.infer<typeof Patch>

/** Available patches, after each scan. */
export const PatchReport = z.object({
  kind: z.literal('patches'),
  /** Null = the scan failed, see `problem`. */
  found: z
    .object({
      hash: z.string().regex(/^[0-9a-f]{32}$/),
      patches: z.array(Patch).max(MAX_PATCHES),
      /** Number of patches beyond the limits. */
      left_out: z.int().min(0),
    })
    .nullable(),
  /** Error message: with `found`, why the list may be outdated. */
  problem: z.string().max(1000).nullable(),
})
export type PatchReport = z.infer<typeof PatchReport>

/** An update that the machine has installed. */
export const InstalledPatch = Patch.pick({
  guid: true,
  source: true,
  title: true,
  kb: true,
  version: true,
  severity: true,
}).extend({ installed_at: z.iso.datetime() })
export type InstalledPatch = z.infer<typeof InstalledPatch>

/** Installed patches, newest first. Sent when they have changed, and after each requested scan. */
export const InstalledPatchReport = z.object({
  kind: z.literal('installed-patches'),
  patches: z.array(InstalledPatch).max(MAX_INSTALLED_PATCHES),
})
export type InstalledPatchReport = z.infer<typeof InstalledPatchReport>

/** The name of a package in a repository of the system. */
export const PackageName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9+.:@_-]*$/, 'Use letters, digits and + - . : @ _ only')
