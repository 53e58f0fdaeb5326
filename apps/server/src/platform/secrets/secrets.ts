import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Encrypts what must not lie readable in the database, with a key file beside it. */
export interface Secrets {
  encrypt(text: string): string
  decrypt(sealed: string): string
}

/** Opens `secret.key` in the data folder, and makes it (mode 0600) where it is missing. */
export async function openSecrets(dataFolder: string): Promise<Secrets> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const path = join(dataFolder, 'secret.key')
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(randomBytes(32).toString('base64url'))
    await file.sync()
    await file.close()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64url')
  if (key.length !== 32) throw new Error(`${path} does not hold a 32-byte key; restore it from a backup`)
  return createSecrets(key)
}

/** AES-256-GCM; sealed text is `v1.` + base64url of nonce, tag and cipher text. */
export function createSecrets(key: Buffer): Secrets {
  return {
    encrypt(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
    },
    decrypt(sealed) {
      if (!sealed.startsWith('v1.')) throw new Error('this is not sealed text')
      const bytes = Buffer.from(sealed.slice(3), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}

/** hex sha256: how tokens are kept. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** A random token of 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}
