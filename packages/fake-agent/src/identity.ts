import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** DER of an Ed25519 key is this prefix and the 32 raw bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Keys of a simulated machine are derived from seed and index, so that they need not be stored: a fleet that is
 * started again has the same machines, and its enrolment re-attaches them.
 */
export function signAs(seed: number, index: number, text: string): string {
  return sign(null, Buffer.from(text), privateKey(seed, index)).toString('base64url')
}

/** base64url of the raw public key. */
export function publicKeyOf(seed: number, index: number): string {
  const spki = createPublicKey(privateKey(seed, index)).export({ format: 'der', type: 'spki' })
  return spki.subarray(SPKI_PREFIX.length).toString('base64url')
}

export function machineKeyOf(seed: number, index: number): string {
  return hash(`machine ${seed} ${index}`).toString('hex')
}

/** The server's command key from the enrolment response. */
export function importPublicKey(raw: string): KeyObject {
  const key = Buffer.concat([SPKI_PREFIX, Buffer.from(raw, 'base64url')])
  return createPublicKey({ key, format: 'der', type: 'spki' })
}

export function isSignedBy(key: KeyObject, text: string, signature: string): boolean {
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}

function privateKey(seed: number, index: number): KeyObject {
  const key = Buffer.concat([PKCS8_PREFIX, hash(`key ${seed} ${index}`)])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

function hash(text: string): Buffer {
  return createHash('sha256').update(`muster-fake-agent ${text}`).digest()
}
