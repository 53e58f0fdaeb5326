import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../cli/cli-error.ts'
import { dataFiles, writePrivateFile } from './data-folder.ts'

/** The private key of this machine. It never leaves the data folder. A repeated enrolment keeps it. */
export function makeOrReadKey(folder: string): KeyObject {
  if (!existsSync(join(folder, dataFiles.key))) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writePrivateFile(folder, dataFiles.key, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  }
  return readKey(folder)
}

export function readKey(folder: string): KeyObject {
  const file = join(folder, dataFiles.key)
  try {
    const key = createPrivateKey(readFileSync(file))
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it contains another type of key')
    return key
  } catch (cause) {
    throw new CliError(`failed to read the machine key from ${file}`, { cause })
  }
}

/** Returns the raw public key as base64url, as in the contract. */
export function publicKeyText(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (x === undefined) throw new CliError('the machine key has the wrong type')
  return x
}

/** Returns the key that verifies signatures. */
export function readPublicKey(text: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' })
}
