import { z } from 'zod'

export const PackageFileFormat = z.enum(['msi', 'exe', 'pkg', 'deb', 'rpm'])
export type PackageFileFormat = z.infer<typeof PackageFileFormat>

export const MAX_PACKAGE_FILE_BYTES = 512 * 1024 * 1024

export const PackageFileName = z
  .string()
  .trim()
  .max(150)
  .regex(/^[A-Za-z0-9][\w .()+~-]*$/, 'Use letters, digits, spaces and . _ ( ) + ~ - only')

/** Appended to the command line of an MSI or EXE file. Refused for other formats. */
export const InstallerArguments = z
  .string()
  .trim()
  .max(1000)
  .regex(/^[^\r\n\0]*$/, 'Use one line')

/** Shows whether a package file is installed, before and after its installation. */
export const Detection = z.discriminatedUnion('by', [
  /** `%ProgramFiles%` and other variables of the machine are replaced. */
  z.object({ by: z.literal('file'), path: z.string().trim().min(1, 'Enter a path.').max(500) }),
  /** A name in the software list, with at least this version; empty = any. */
  z.object({
    by: z.literal('package'),
    name: z.string().trim().min(1, 'Enter a name.').max(255),
    version: z.string().trim().max(100).default(''),
  }),
  /** An existing key; with `value` also that value, with `data` also its content. */
  z.object({
    by: z.literal('registry'),
    key: z.string().trim().min(1, 'Enter a key.').max(1000),
    value: z.string().trim().max(255).default(''),
    data: z.string().max(1000).default(''),
  }),
])
export type Detection = z.infer<typeof Detection>

/** Allows a download until its run has ended. */
export const PackageFileToken = z.string().regex(/^[\w-]{20,100}$/)

/** A file that the agent downloads from its server, checks and installs. */
export const PackageFileOrder = z.object({
  name: PackageFileName,
  format: PackageFileFormat,
  bytes: z.int().min(1).max(MAX_PACKAGE_FILE_BYTES),
  /** Hex. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
  token: PackageFileToken,
  args: InstallerArguments,
  detection: Detection.nullable(),
})
export type PackageFileOrder = z.infer<typeof PackageFileOrder>

/** GET with the token as `authorization: Bearer`. */
export const packageFilePath = (historyId: number) => `/agent/package-files/${historyId}`
