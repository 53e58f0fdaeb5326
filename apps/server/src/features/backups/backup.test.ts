import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { readBackup } from './backup-items.ts'
import { makeBackup, verifyBackup } from './make-backup.ts'
import { decodeRows, encodeRow } from './table-rows.ts'
import { fillInstallation, givenInstallation, openInstallation, PASSPHRASE } from './test-installation.ts'

async function givenBackup() {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await givenInstallation({ isNew: true }))
  {
    await using ctx = await openInstallation(place)
    await fillInstallation(ctx)
  }
  const path = join(place.folder, 'muster.backup')
  const result = await makeBackup(place.config, { path, passphrase: PASSPHRASE })
  const resources = stack.move()
  return { ...place, path, result, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

test('a backup holds every table and the files that are not made again, and cannot be read without passphrase', async () => {
  await using given = await givenBackup()
  const { path, result } = given
  expect(result).toMatchObject({ files: 3, bytes: 2_500_043, size: (await stat(path)).size })
  expect(result.tables).toBeGreaterThan(80)
  const found: string[] = []
  const tables: Record<string, number> = {}
  let table = ''
  for await (const item of readBackup(path, PASSPHRASE)) {
    if (item.type === 'file') found.push(item.path)
    if (item.type === 'table') table = item.name
    if (item.type === 'table-end') tables[table] = item.rows
  }
  expect(found).toEqual(['recordings/empty', 'recordings/one', 'secret.key'])
  expect(tables).toMatchObject({ clients: 251, package_file_parts: 4, sample_chunks: 3, roles: 0 })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const bytes = await readFile(path)
  for (const text of ['Müller', await readFile(join(given.config.dataFolder, 'secret.key'), 'utf8')])
    expect(bytes.includes(text)).toBe(false)
  await expect(verifyBackup(path, 'another passphrase')).rejects.toThrow(`Wrong passphrase for ${path}.`)
})

test('a backup while rows are written is the state of one moment', async () => {
  await using place = await givenInstallation({ isNew: true })
  await using ctx = await openInstallation(place)
  const { site } = await fillInstallation(ctx)
  let stop = false
  let written = 0
  // Each transaction writes one row into two tables: their numbers agree at every moment.
  const writing = (async () => {
    while (!stop) {
      await ctx.transaction(async (tx) => {
        const name = `both ${(written += 1)}`
        const now = new Date().toISOString()
        await tx.insertInto('sites').values({ client_id: site.client_id, name, created_at: now }).execute()
        await tx.insertInto('clients').values({ name, created_at: now }).execute()
      })
      await new Promise(setImmediate)
    }
  })()
  await expect.poll(() => written).toBeGreaterThan(2)
  const path = join(place.folder, 'muster.backup')
  const before = written
  await makeBackup(place.config, { path, passphrase: PASSPHRASE })
  // Writers did not wait for the backup.
  expect(written).toBeGreaterThan(before)
  stop = true
  await writing
  const names: Record<string, Set<unknown>> = {}
  let table: { name: string; columns: string[] } | undefined
  for await (const item of readBackup(path, PASSPHRASE)) {
    if (item.type === 'table') table = item
    if (item.type !== 'rows' || table === undefined) continue
    const column = table.columns.indexOf('name')
    const seen = (names[table.name] ??= new Set())
    for (const { values } of decodeRows(item.rows, table.columns.length)) seen.add(values[column])
  }
  const both = (name: string) => [...(names[name] ?? [])].map(String).filter((one) => one.startsWith('both '))
  expect(both('sites').length).toBeGreaterThan(0)
  expect(both('sites').toSorted()).toEqual(both('clients').toSorted())
})

test('a damaged, truncated, empty or foreign file is refused with the reason', async () => {
  await using given = await givenBackup()
  const bytes = await readFile(given.path)
  const path = join(given.folder, 'changed')
  const refusal = async (content: Buffer | string) => {
    await writeFile(path, content)
    return verifyBackup(path, PASSPHRASE).catch((error: unknown) => String(error))
  }
  for (const at of [20, 200, 330, 400, Math.floor(bytes.length / 2), bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(await refusal(changed), `byte ${at}`).toMatch(/damaged near byte|Wrong passphrase|incomplete/)
  }
  for (const size of [4, 30, 300, 100_000, bytes.length - 1])
    expect(await refusal(bytes.subarray(0, size)), `${size} bytes`).toMatch(/incomplete|not a backup/)
  // Truncated between two chunks.
  const header = 8 + 4 + bytes.readUInt32BE(8) + 64
  expect(await refusal(bytes.subarray(0, header + 4 + bytes.readUInt32BE(header)))).toMatch(/incomplete/)
  expect(await refusal(Buffer.concat([bytes, Buffer.of(0)]))).toMatch(/damaged/)
  expect(await refusal('')).toBe(`AppError: ${path} is empty (0 bytes). Use another backup.`)
  expect(await refusal(randomBytes(5000))).toBe(`AppError: ${path} is not a backup of Muster.`)
  await truncate(given.path, 0)
  await expect(verifyBackup(given.path, PASSPHRASE)).rejects.toThrow('is empty')
})

test('a file that exists is not replaced, and a failed backup leaves nothing behind', async () => {
  await using given = await givenBackup()
  const options = { path: given.path, passphrase: PASSPHRASE }
  await expect(makeBackup(given.config, options)).rejects.toThrow(
    `${given.path} exists. Choose another name.`,
  )
  const empty = { ...given.config, databaseUrl: undefined, dataFolder: join(given.folder, 'nothing') }
  const path = join(given.folder, 'second')
  await expect(makeBackup(empty, { ...options, path })).rejects.toThrow(
    'holds no secret.key. Set MUSTER_DATA',
  )
  const isFile = join(given.path, 'in a file')
  await expect(makeBackup(given.config, { ...options, path: isFile })).rejects.toThrow(
    /^Failed to write the backup/,
  )
  const broken = { ...given.config, tls: { certFile: given.folder, keyFile: given.folder } }
  await expect(makeBackup(broken, { ...options, path })).rejects.toThrow(/^Failed to write the backup/)
  expect((await readdir(given.folder)).toSorted()).toEqual(['data', 'muster.backup'])
})

test('certificate, key and the state of the own agent are part of it, open files and locks are not', async () => {
  await using place = await givenInstallation({ isNew: true })
  await (await openInstallation(place))[Symbol.asyncDispose]()
  const agent = join(place.config.dataFolder, 'agent')
  await mkdir(agent)
  using state = new DatabaseSync(join(agent, 'state.db'))
  state.exec('pragma journal_mode = wal; create table kept (name text); insert into kept values (7)')
  await writeFile(join(agent, 'agent.lock'), '')
  const [certFile, keyFile] = [join(place.folder, 'own.pem'), join(place.folder, 'own.key')]
  await writeFile(certFile, 'CERTIFICATE')
  await writeFile(keyFile, 'KEY')
  expect(existsSync(join(agent, 'state.db-wal'))).toBe(true)
  const path = join(place.config.dataFolder, 'inside.backup')
  await makeBackup({ ...place.config, tls: { certFile, keyFile } }, { path, passphrase: PASSPHRASE })
  const found: string[] = []
  for await (const item of readBackup(path, PASSPHRASE)) if (item.type === 'file') found.push(item.path)
  expect(found).toEqual(['agent/state.db', 'secret.key', 'tls/cert.pem', 'tls/key.pem'])
})

test('rows are encoded without loss, and malformed ones are refused', () => {
  const values = [
    null,
    0,
    -1,
    2 ** 53,
    0.1 + 0.2,
    5e-324,
    '',
    'a\u{1F9CA}\uFFFD',
    Buffer.of(0, 255),
    new Uint8Array(),
  ]
  const encoded = encodeRow(values)
  const [row] = [...decodeRows(encoded, values.length)]
  expect(row?.values.map((value) => (value instanceof Uint8Array ? [...value] : value))).toEqual(
    values.map((value) => (value instanceof Uint8Array ? [...value] : value)),
  )
  for (let cut = 1; cut < encoded.length; cut += 1)
    expect(() => [...decodeRows(encoded.subarray(0, cut), values.length)]).toThrow(RangeError)
  expect(() => [...decodeRows(Buffer.of(9), 1)]).toThrow('unknown type of value: 9')
  expect(() => encodeRow([true])).toThrow('a value of type boolean cannot be stored')
})
