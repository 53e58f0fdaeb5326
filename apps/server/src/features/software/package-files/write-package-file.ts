import { createHash, randomBytes } from 'node:crypto'
import type { CommandInput } from '@muster/contract/agent/commands'
import { Detection, type PackageFileFormat } from '@muster/contract/agent/package-files'
import { type createPackageFile, type PackageFile, PART_BYTES } from '@muster/contract/api/package-files'
import type { Output, Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { formatOf, platformOf } from '@muster/rules/agents/package-files'
import type { Selectable } from 'kysely'
import type { Context } from '../../../context.ts'
import { laterThan, lockRow, refuseStale, requireRow } from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { PackageFilesTable } from '../../../platform/database/tables/software.ts'
import { type Caller, refuseLimited } from '../../../platform/http/caller.ts'
import type { ByteRange } from '../../../platform/http/send-file.ts'
import { audit } from '../../audit/write-audit.ts'
import { OUTPUT_CAP_BYTES } from '../../runs/store-run-reports.ts'

type Row = Selectable<PackageFilesTable>
type Fields = Pick<PackageFile, 'name' | 'args' | 'detection'>

export async function findPackageFiles(db: Db): Promise<PackageFile[]> {
  return (await db.selectFrom('package_files').selectAll().orderBy('name').orderBy('id').execute()).map(view)
}

function view(row: Row): PackageFile {
  return {
    ...row,
    detection: row.detection === null ? null : Detection.parse(JSON.parse(row.detection)),
  }
}

type StoredFile = PackageFile & { sha256: string }

/** A file that machines can install. Throws `not_found`, and `conflict` for other files and during the upload. */
export async function requirePackageFile(
  db: Db,
  id: number,
): Promise<StoredFile & { format: PackageFileFormat }> {
  const { format, ...file } = await requireStoredFile(db, id)
  if (format === 'other')
    throw new AppError('conflict', `"${file.name}" is not an installer. Push it instead.`)
  return { ...file, format }
}

/** A file of any kind. Throws `not_found`, and `conflict` while it is being uploaded. */
export async function requireStoredFile(db: Db, id: number): Promise<StoredFile> {
  const { sha256, ...file } = view(await requireFile(db, id))
  if (sha256 === null) throw new AppError('conflict', `The upload of "${file.name}" has not finished.`)
  return { ...file, sha256 }
}

async function requireFile(db: Db, id: number): Promise<Row> {
  const row = await db.selectFrom('package_files').selectAll().where('id', '=', id).executeTakeFirst()
  return requireRow(row, 'package file')
}

export async function addPackageFile(
  ctx: Context,
  caller: Caller,
  { detection, ...body }: Parsed<typeof createPackageFile>['body'],
): Promise<Output<typeof createPackageFile>> {
  refuseLimited(caller, 'A package file')
  const format = formatOf(body.file_name) ?? 'other'
  refuseArguments(format, body.args)
  return ctx.transaction(async (tx, emit) => {
    const row = await tx
      .insertInto('package_files')
      .values({
        ...body,
        format,
        detection: detection === null ? null : JSON.stringify(detection),
        sha256: null,
        created_by: caller.username,
        created_at: ctx.now().toISOString(),
        modified: ctx.now().toISOString(),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    emit({ type: 'packagefile.changed', ids: [row.id] })
    return view(row)
  })
}

/** The installers of Linux and macOS would ignore them. */
function refuseArguments(format: PackageFile['format'], args: string): void {
  if (args === '' || (format !== 'other' && platformOf(format) === 'windows')) return
  throw new AppError('invalid', 'Silent arguments are for MSI and EXE files only. Leave them empty.')
}

/** The input of a run that installs a file. */
export function orderPackageFile(
  { file_name, format, bytes, sha256, args, detection }: Awaited<ReturnType<typeof requirePackageFile>>,
  timeoutSeconds: number,
): CommandInput<'install-file'> {
  return {
    name: file_name,
    format,
    bytes,
    sha256,
    token: newToken(),
    args,
    detection,
    timeout_seconds: timeoutSeconds,
    output_cap_bytes: OUTPUT_CAP_BYTES,
  }
}

/** Allows a download while its run lasts. */
export const newToken = () => randomBytes(32).toString('base64url')

/** Stores a part, which may have been stored before. */
export async function addPart(
  ctx: Context,
  caller: Caller,
  { id, number, data }: { id: number; number: number; data: Buffer },
): Promise<void> {
  refuseLimited(caller, 'A package file')
  await ctx.transaction(async (tx) => {
    const { bytes, sha256 } = await requireFile(tx, id)
    if (sha256 !== null) throw new AppError('conflict', 'The upload has already finished.')
    const expected = Math.min(PART_BYTES, bytes - (number - 1) * PART_BYTES)
    if (data.length !== expected)
      throw new AppError('invalid', `Part ${number} has ${data.length} bytes, not ${Math.max(0, expected)}.`)
    await tx
      .insertInto('package_file_parts')
      .values({ file: id, number, data })
      .onConflict((conflict) => conflict.columns(['file', 'number']).doUpdateSet({ data }))
      .execute()
  })
}

/** Computes the hash. The file can be used from now on. */
export async function finishUpload(ctx: Context, caller: Caller, id: number): Promise<PackageFile> {
  refuseLimited(caller, 'A package file')
  const { bytes, sha256: before } = await requireFile(ctx.db, id)
  if (before !== null) throw new AppError('conflict', 'The upload has already finished.')
  const hash = createHash('sha256')
  let received = 0
  for await (const part of readParts(ctx.db, id)) {
    hash.update(part)
    received += part.length
  }
  if (received !== bytes)
    throw new AppError('conflict', `Only ${received} of ${bytes} bytes have arrived. Send the missing parts.`)
  const sha256 = hash.digest('hex')
  return ctx.transaction(async (tx, emit) => {
    await tx.updateTable('package_files').set({ sha256 }).where('id', '=', id).execute()
    const row = await requireFile(tx, id)
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'software',
      message: `Uploaded the package file "${row.name}"`,
      after: { name: row.name, file: row.file_name, sha256, args: row.args, detection: row.detection },
      at: ctx.now(),
      emit,
    })
    emit({ type: 'packagefile.changed', ids: [id] })
    return view(row)
  })
}

/** A part of a finished file, without reading what is before it: all stored parts but the last have the same size. */
export async function* readRange(
  db: Db,
  file: number,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const first = Math.floor(start / PART_BYTES)
  let at = first * PART_BYTES
  for await (const part of readParts(db, file, first + 1)) {
    yield part.subarray(Math.max(0, start - at), end + 1 - at)
    at += part.length
    if (at > end) return
  }
}

/** The parts of a file in order, one at a time. */
async function* readParts(db: Db, file: number, from = 1): AsyncGenerator<Uint8Array> {
  for (let number = from; ; number += 1) {
    const part = await db
      .selectFrom('package_file_parts')
      .select('data')
      .where('file', '=', file)
      .where('number', '=', number)
      .executeTakeFirst()
    if (part === undefined) return
    yield part.data
  }
}

export function changePackageFile(
  ctx: Context,
  caller: Caller,
  { id, modified, ...fields }: Fields & { id: number; modified?: string | undefined },
): Promise<PackageFile> {
  refuseLimited(caller, 'A package file')
  const stored = {
    ...fields,
    detection: fields.detection === null ? null : JSON.stringify(fields.detection),
  }
  return ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'package_files', 'id', id)
    const row = await requireFile(tx, id)
    refuseStale(row, modified)
    refuseArguments(row.format, fields.args)
    const { name, args, detection } = row
    const change = { ...stored, modified: laterThan(row.modified, ctx.now()) }
    await tx.updateTable('package_files').set(change).where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'software',
      message: `Changed the package file "${fields.name}"`,
      before: { name, args, detection },
      after: stored,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'packagefile.changed', ids: [id] })
    return view(await requireFile(tx, id))
  })
}

export async function removePackageFile(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseLimited(caller, 'A package file')
  await ctx.transaction(async (tx, emit) => {
    const { name, sha256 } = await requireFile(tx, id)
    await tx.deleteFrom('package_files').where('id', '=', id).execute()
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'software',
      message: `Removed the package file "${name}"`,
      before: { name, sha256 },
      at: ctx.now(),
      emit,
    })
    emit({ type: 'packagefile.changed', ids: [id] })
  })
}

const UPLOAD_MAX_AGE_MS = 24 * 3_600_000

/** Deletes uploads that were given up. */
export async function deleteOldUploads(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - UPLOAD_MAX_AGE_MS).toISOString()
  await ctx.db
    .deleteFrom('package_files')
    .where('sha256', 'is', null)
    .where('created_at', '<', before)
    .execute()
}
