import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { access, link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@muster/contract/errors'

const KEY_BYTES = 32

/** Encrypts values that must not be readable in the database, with a key file beside it. */
export interface Secrets {
  /** Identifies the key without revealing it. */
  keyId: string
  encrypt(text: string): string
  decrypt(sealed: string): string
  /** Encrypts bytes. They can be decrypted only with the same `about`. */
  seal(bytes: Uint8Array, about: string): Buffer
  open(sealed: Uint8Array, about: string): Buffer
  /** A token that only this server can derive from `text`. It differs for each `about`. */
  deriveToken(text: string, about: string): string
}

/** Opens `secret.key` in the data folder, and creates it (mode 0600) if it is missing. */
export async function openSecrets(dataFolder: string): Promise<Secrets> {
  const path = join(dataFolder, 'secret.key')
  const text = await readKeyFile(dataFolder, path)
  const key = Buffer.from(text.trim(), 'base64url')
  if (key.length !== KEY_BYTES) {
    throw new AppError(
      'conflict',
      `${path} does not hold a key of ${KEY_BYTES} bytes; restore it from a backup`,
    )
  }
  return createSecrets(key)
}

async function readKeyFile(dataFolder: string, path: string): Promise<string> {
  try {
    await makeKeyFile(path)
    return await readFile(path, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('unavailable', `the data folder ${dataFolder} cannot be used: ${reason}`, { cause })
  }
}

/** Creates the file complete and on disk, or not at all. Never replaces an existing one. */
async function makeKeyFile(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    if (await exists(path)) return
    await using file = await open(draft, 'wx', 0o600)
    await file.writeFile(randomBytes(KEY_BYTES).toString('base64url'))
    await file.sync()
    await link(draft, path)
  } catch (error) {
    // Another server that started at this moment was faster. Use its key.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** AES-256-GCM. Sealed text is `v1.` + base64url of nonce, tag and cipher text. */
export function createSecrets(key: Buffer): Secrets {
  return {
    keyId: createHmac('sha256', key).update('muster key id').digest('base64url').slice(0, 16),
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
    seal(bytes, about) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
      const sealed = Buffer.concat([cipher.update(bytes), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(sealed, about) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
      decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
    },
    deriveToken(text, about) {
      const own = createHmac('sha256', key).update(`muster token: ${about}`).digest()
      return createHmac('sha256', own).update(text).digest('base64url')
    },
  }
}

/** hex sha256, the stored form of tokens. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function newToken(): string {
  // Tokens are pasted into command lines, where a leading dash would be read as an option.
  for (;;) {
    const token = randomBytes(32).toString('base64url')
    if (!token.startsWith('-')) return token
  }
}
