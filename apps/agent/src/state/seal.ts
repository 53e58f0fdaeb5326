import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const MARK = 'sealed1.'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts texts with a key derived from the machine's private key. */
export interface Seal {
  seal(text: string): string
  /** Undefined if it was encrypted with another key, or changed. Plain text is returned unchanged. */
  open(sealed: string): string | undefined
}

/**
 * The key is derived from the machine's private key in the same folder: anyone who has that key can sign in as the
 * machine and receive everything anyway.
 */
export function makeSeal(machineKey: KeyObject): Seal {
  const secret = machineKey.export({ type: 'pkcs8', format: 'der' })
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'muster-state-1', 32))
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return MARK + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed) {
      if (!sealed.startsWith(MARK)) return sealed
      const bytes = Buffer.from(sealed.slice(MARK.length), 'base64')
      const body = bytes.subarray(NONCE_BYTES + TAG_BYTES)
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        // Another key, or damaged: treated as missing.
        return undefined
      }
    },
  }
}
