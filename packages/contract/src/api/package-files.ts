import { formatOf } from '@muster/rules/agents/package-files'
import { z } from 'zod'
import {
  Detection,
  InstallerArguments,
  MAX_PACKAGE_FILE_BYTES,
  PackageFileFormat,
  PackageFileName,
} from '../agent/package-files.ts'
import { endpoint } from '../endpoint.ts'
import { IdParams, Instant, Nothing } from '../fields.ts'

/** Bytes of each part but the last. */
export const PART_BYTES = 1024 * 1024

const Fields = {
  name: z.string().trim().min(1, 'A name is needed.').max(100),
  args: InstallerArguments,
  detection: Detection.nullable(),
}

/** `other`: a file that machines cannot install, for jobs that push it. */
export const StoredFileFormat = z.enum([...PackageFileFormat.options, 'other'])
export type StoredFileFormat = z.infer<typeof StoredFileFormat>

/** Machines write an installer under its name, any other file under the path of the job. */
const FileName = z
  .string()
  .trim()
  .min(1, 'Choose a file.')
  .max(150)
  .regex(/^[^\\/\p{Cc}]*$/u, 'A file name has no slashes and control characters.')
  .refine((name) => formatOf(name) === undefined || PackageFileName.safeParse(name).success, {
    message: 'Use letters, digits, spaces and . _ ( ) + ~ - only',
  })

/** A file that users have uploaded: an installer, or any other file for jobs that push it. */
export const PackageFile = z.object({
  id: z.int(),
  ...Fields,
  file_name: z.string(),
  format: StoredFileFormat,
  bytes: z.int(),
  /** Null while it is being uploaded. */
  sha256: z.string().nullable(),
  created_by: z.string(),
  created_at: Instant,
  modified: Instant,
})
export type PackageFile = z.infer<typeof PackageFile>

export const listPackageFiles = endpoint({
  method: 'GET',
  path: '/software/files/',
  access: 'can_list_software',
  summary: 'List the uploaded package files',
  response: z.array(PackageFile),
})

export const createPackageFile = endpoint({
  method: 'POST',
  path: '/software/files/',
  access: 'can_manage_software',
  summary: 'Begin the upload of a package file; its parts follow',
  body: z.object({
    ...Fields,
    args: Fields.args.default(''),
    detection: Fields.detection.default(null),
    file_name: FileName,
    bytes: z.int().min(1).max(MAX_PACKAGE_FILE_BYTES, 'A package file has at most 512 MB.'),
  }),
  response: PackageFile,
})

export const addPackageFilePart = endpoint({
  method: 'POST',
  path: '/software/files/:id/parts/:number/',
  access: 'can_manage_software',
  summary: `Store a part of a package file: ${PART_BYTES} bytes, the last one fewer; the same part may be sent again`,
  params: IdParams.extend({
    number: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_PACKAGE_FILE_BYTES / PART_BYTES),
  }),
  body: z.object({ data: z.base64() }),
  bodyLimit: 2 * PART_BYTES,
  response: Nothing,
})

export const finishPackageFile = endpoint({
  method: 'POST',
  path: '/software/files/:id/finish/',
  access: 'can_manage_software',
  summary: 'Finish an upload: all parts must be stored; from now on machines can install the file',
  params: IdParams,
  response: PackageFile,
})

export const editPackageFile = endpoint({
  method: 'PUT',
  path: '/software/files/:id/',
  access: 'can_manage_software',
  summary:
    'Change the name, the silent arguments and the detection of a package file; with `modified`, refused if another user has saved since',
  params: IdParams,
  body: z.object({ ...Fields, modified: Instant.optional() }),
  response: PackageFile,
})

export const removePackageFile = endpoint({
  method: 'DELETE',
  path: '/software/files/:id/',
  access: 'can_manage_software',
  summary: 'Remove a package file; machines that have installed it keep the software',
  params: IdParams,
  response: Nothing,
})
