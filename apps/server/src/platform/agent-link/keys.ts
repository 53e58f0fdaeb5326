import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  createPrivateKey,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'

/** DER of an Ed25519 public key is this prefix and the 32 raw bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export function importPublicKey(raw: string): KeyObject {
  return createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(raw, 'base64url')]),
    format: 'der',
    type: 'spki',
  })
}

/**
 * Returns true if `signature` (base64url) over `text` was made with the private key of `publicKey` (base64url, raw).
 */
export function verifyProof(publicKey: string, text: string, signature: string): Promise<boolean> {
  return verifyAside(null, Buffer.from(text), importPublicKey(publicKey), Buffer.from(signature, 'base64url'))
}

/** Runs in Node's thread pool. */
const verifyAside = promisify(verify)

export interface SigningKey {
  /** Raw public key, base64url. */
  publicKey: string
  sign(text: string): string
}

/** @returns A new Ed25519 key as PKCS#8 PEM. */
export function generateKeyPem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

export function openSigningKey(pem: string): SigningKey {
  const key = createPrivateKey(pem)
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: spki.subarray(SPKI_PREFIX.length).toString('base64url'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  }
}
