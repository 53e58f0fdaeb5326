import type { Db } from '../../../platform/database/database.ts'

/** The id of a package file of one byte, which machines can install. */
export async function givenPackageFile(db: Db, name: string): Promise<number> {
  const at = new Date().toISOString()
  const { id } = await db
    .insertInto('package_files')
    .values({
      name,
      file_name: 'tool.deb',
      format: 'deb',
      bytes: 1,
      sha256: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      args: '',
      detection: null,
      created_by: 'ada',
      created_at: at,
      modified: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('package_file_parts')
    .values({ file: id, number: 1, data: Buffer.alloc(1) })
    .execute()
  return id
}
