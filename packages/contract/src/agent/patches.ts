import { z } from 'zod'

/** Of one machine; what is above is left out and counted. */
export const MOST_PATCHES = 1000
/** The JSON of all of them together, well within a frame. */
export const MOST_PATCH_BYTES = 500_000

const Line = z.string().max(255)

/** Who knows of it and installs it. */
export const PatchSource = z.enum(['apt', 'dnf', 'windows', 'softwareupdate'])
export type PatchSource = z.infer<typeof PatchSource>

export const PatchSeverity = z.enum(['Critical', 'Important', 'Moderate', 'Low', ''])

/** What the machine asks for by this name when it is to be installed. */
export const PatchGuid = z
  .string()
  .min(1)
  .max(255)
  // A name that began with a dash would be taken for an option of the program that installs it.
  .regex(/^[^-\s][^\r\n\0]*$/, 'That names no patch.')

/** A newer version of something that is installed, which the machine may have. */
export const Patch = z.object({
  guid: PatchGuid,
  source: PatchSource,
  title: Line.min(1),
  /** Of Windows: KB5031354. */
  kb: Line,
  version: Line,
  /** The version that is installed; empty = the system does not say. */
  current_version: Line,
  severity: PatchSeverity,
  /** It closes a hole, by what its maker says. */
  security: z.boolean(),
  categories: z.array(Line).max(20),
  description: z.string().max(2000),
  more_info_urls: z.array(z.string().max(500)).max(10),
  /** Bytes; null = the system does not say. */
  size: z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  downloaded: z.boolean(),
  /** The machine has to restart for it, by what is known before. */
  needs_reboot: z.boolean(),
})
export type Patch = z.infer<typeof Patch>

/** What may be installed, after each look. */
export const PatchReport = z.object({
  kind: z.literal('patches'),
  /** Null: there could be no look, `problem` says why. */
  found: z
    .object({
      hash: z.string().regex(/^[0-9a-f]{32}$/),
      patches: z.array(Patch).max(MOST_PATCHES),
      /** Patches beyond the bounds. */
      left_out: z.int().min(0),
    })
    .nullable(),
  /** What went wrong, as a sentence: with `found`, that the list may be old. */
  problem: z.string().max(1000).nullable(),
})
export type PatchReport = z.infer<typeof PatchReport>

/** The name of a package in a repository of the system. */
export const PackageName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9+._-]*$/, 'A package name has letters, digits and + - . _ only.')
