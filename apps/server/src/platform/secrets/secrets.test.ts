import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { createApp } from '../../app.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { createSecrets, newToken, openSecrets } from './secrets.ts'

test('the key is created once, readable by its owner only', async () => {
  await using folder = await createFolder()
  const first = await openSecrets(folder.path)
  const sealed = first.encrypt('geheim')
  expect(sealed).not.toContain('geheim')
  expect((await openSecrets(folder.path)).decrypt(sealed)).toBe('geheim')
  expect((await stat(join(folder.path, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toEqual(['secret.key'])
})

test('servers that start at the same moment end with the same key', async () => {
  await using folder = await createFolder()
  const all = await Promise.all(Array.from({ length: 20 }, () => openSecrets(folder.path)))
  expect(new Set(all.map(({ keyId }) => keyId)).size).toBe(1)
})

test('changed sealed text is refused', () => {
  const secrets = createSecrets(Buffer.alloc(32, 1))
  const sealed = secrets.encrypt('geheim')
  const other = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
  expect(() => secrets.decrypt(other)).toThrow()
  expect(() => secrets.decrypt('geheim')).toThrow('not sealed')
  expect(() => createSecrets(Buffer.alloc(32, 2)).decrypt(sealed)).toThrow()
})

test('a damaged key file and an unusable folder are explained in one sentence', async () => {
  await using folder = await createFolder()
  await writeFile(join(folder.path, 'secret.key'), 'short')
  await expect(openSecrets(folder.path)).rejects.toThrow('restore it from a backup')
  await expect(openSecrets(join(folder.path, 'secret.key', 'below'))).rejects.toThrow('cannot be used')
})

test('a server with another key than the database was written with does not start', async () => {
  await using server = await createTestServer()
  const other = { ...server.ctx, secrets: createSecrets(Buffer.alloc(32, 3)) }
  await expect(createApp(other)).rejects.toThrow('another secret.key')
})

test('a password matches its hash in any Unicode form, and no other password does', async () => {
  const hash = await hashPassword('caf\u00e9 au lait')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword('cafe\u0301 au lait', hash)).toBe(true)
  expect(await verifyPassword('cafe au lait', hash)).toBe(false)
  expect(await verifyPassword('anything', undefined)).toBe(false)
  expect(await verifyPassword('none', 'none')).toBe(false)
  expect(await hashPassword('same')).not.toBe(await hashPassword('same'))
})

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'muster-secrets-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('no token looks like a command line option', () => {
  const tokens = Array.from({ length: 2000 }, newToken)
  expect(tokens.filter((token) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{42}$/.test(token))).toEqual([])
  expect(new Set(tokens).size).toBe(2000)
})
