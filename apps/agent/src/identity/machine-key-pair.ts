import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../cli/cli-error.ts'
import { dataFiles, writePrivateFile } from './data-folder.ts'

/** The machine's own key. It is made here, never leaves the data folder, and is kept by a repeated enrolment. */
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
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it holds a key of another kind')
    return key
  } catch (cause) {
    throw new CliError(`the key of this machine cannot be read from ${file}`, { cause })
  }
}

/** base64url of the raw public half, as the contract has it. */
export function publicKeyText(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (x === undefined) throw new CliError('the key of this machine is of the wrong kind')
  return x
}

/** The other direction: a key that checks signatures. */
export function readPublicKey(text: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' })
}
