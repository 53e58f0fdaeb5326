import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CertificateHash } from '@muster/contract/agent/certificate-proof'
import { PublicKey } from '@muster/contract/agent/enrol'
import { Hardware } from '@muster/contract/agent/hardware'
import { z } from 'zod'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { CliError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { isMachineId } from '../os/machine-identity.ts'
import type { Os } from '../os/os.ts'
import { dataFiles, writePrivateFile } from './data-folder.ts'

/** Content of agent.json: this agent's identity and the server that it trusts. */
export const Identity = z.object({
  server_url: z.url({ protocol: /^https?$/ }),
  agent_id: z.string().min(1),
  /** The only key whose commands are run. */
  command_key: PublicKey,
  /** If set, the only CA that the server's certificate may come from. */
  ca_pem: z.string().nullable(),
  /** The certificate that is trusted whatever its CA, name and dates, because the server or a user has proven it. */
  proven_certificate: CertificateHash.nullable().default(null),
  /** The proxy on the way to the server, with its user name and password. Absent: none. */
  proxy: z.string().optional(),
  machine_key: z.string(),
  /** The hardware that the server knows. Absent: enrolled by an older agent, and not connected since. */
  hardware: Hardware.optional(),
  enrolled_at: z.string(),
})
export type Identity = z.infer<typeof Identity>

export function findIdentity(folder: string): Identity | undefined {
  const file = join(folder, dataFiles.identity)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw new CliError(`${file} cannot be read`, { cause })
  }
  try {
    return Identity.parse(JSON.parse(text))
  } catch (cause) {
    throw new CliError(`${file} is damaged. Enrol this machine again`, {
      cause: cause instanceof z.ZodError ? z.prettifyError(cause).replaceAll(/\s+/g, ' ') : cause,
    })
  }
}

/** A damaged identity is ignored: enrolment repairs it. */
export function tryFindIdentity(folder: string): Identity | undefined {
  try {
    return findIdentity(folder)
  } catch (cause) {
    if (cause instanceof CliError) return undefined
    throw cause
  }
}

export function requireIdentity(folder: string): Identity {
  const identity = findIdentity(folder)
  if (identity !== undefined) return identity
  throw new CliError(`no agent is enrolled in ${folder}. Run "enrol --server URL --token TOKEN" first`)
}

export function writeIdentity(folder: string, identity: Identity): void {
  writePrivateFile(folder, dataFiles.identity, `${JSON.stringify(identity, null, 2)}\n`)
}

/** Changes parts of agent.json, and nothing at all if the machine was enrolled again meanwhile. */
export function changeIdentity(folder: string, identity: Identity, parts: Partial<Identity>): void {
  const stored = findIdentity(folder)
  if (stored === undefined || !isSameEnrolment(stored, identity)) return
  const changed = { ...stored, ...parts }
  if (!isDeepStrictEqual(stored, changed)) writeIdentity(folder, changed)
}

/** Stores what the server's certificate is checked against from now on. */
export function storeTrust(folder: string, identity: Identity, log: Log): void {
  const { ca_pem, proven_certificate } = identity
  try {
    changeIdentity(folder, identity, { ca_pem, proven_certificate })
  } catch (cause) {
    // The agent uses it until it restarts, and then the server has to prove its certificate again.
    log.error({ cause }, 'failed to store the trust in the certificate of the server')
  }
}

/** Returns true if the command "trust" has changed it while the agent runs. */
export function takeStoredTrust(folder: string, identity: Identity): boolean {
  const stored = findIdentity(folder)
  if (stored === undefined || !isSameEnrolment(stored, identity)) return false
  const { ca_pem, proven_certificate } = stored
  if (ca_pem === identity.ca_pem && proven_certificate === identity.proven_certificate) return false
  Object.assign(identity, { ca_pem, proven_certificate })
  return true
}

function isSameEnrolment(a: Identity, b: Identity): boolean {
  return a.agent_id === b.agent_id && a.server_url === b.server_url && a.command_key === b.command_key
}

/** The private key of this machine. It never leaves the data folder. A repeated enrolment keeps it. */
export function makeOrReadKey(folder: string): KeyObject {
  return existsSync(join(folder, dataFiles.key)) ? readKey(folder) : makeKey(folder)
}

/** Replaces the key. A copy of a machine must not keep that of its original. */
export function makeKey(folder: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519')
  writePrivateFile(folder, dataFiles.key, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
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

/** The id of the system, or else the one that this folder has. Undefined before the first enrolment without either. */
export async function findMachineId(folder: string, os: Os): Promise<string | undefined> {
  const own = join(folder, dataFiles.machineId)
  const id = (await os.findMachineId()) ?? (existsSync(own) ? readFileSync(own, 'utf8').trim() : '')
  return isMachineId(id) ? id : undefined
}

/** Writes an id for a system that has none. */
export async function makeOrFindMachineId(folder: string, os: Os): Promise<string> {
  const found = await findMachineId(folder, os)
  if (found !== undefined) return found
  const id = randomBytes(16).toString('hex')
  writePrivateFile(folder, dataFiles.machineId, `${id}\n`)
  return id
}

/**
 * Identifies this machine and data folder to the server. A reinstallation keeps it; a second agent with its own data
 * folder gets another one.
 */
export function makeMachineKey(machineId: string, folder: string): string {
  return createHash('sha256')
    .update(`${machineId}\n${realpathSync(folder)}`)
    .digest('hex')
}
