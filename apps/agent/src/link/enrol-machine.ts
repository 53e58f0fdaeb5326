import { sign } from 'node:crypto'
import { hostname } from 'node:os'
import { ENROL_PATH, EnrolAnswer, enrolProof, type EnrolRequest } from '@muster/contract/agent/enrol'
import { ErrorBody } from '@muster/contract/errors'
import type { IncomingMessage } from 'node:http'
import { CliError } from '../cli/cli-error.ts'
import { makeDataFolder } from '../identity/data-folder.ts'
import { type Identity, writeIdentity } from '../identity/identity.ts'
import { makeMachineKey } from '../identity/machine-key.ts'
import { makeOrReadKey, publicKeyText } from '../identity/machine-key-pair.ts'
import { describeError } from '../log/log.ts'
import { machineArch } from '../os/machine-arch.ts'
import type { Os } from '../os/os.ts'
import { AGENT_VERSION } from '../version.ts'
import { serverAddress } from './address.ts'

export interface EnrolOptions {
  folder: string
  serverUrl: string
  token: string
  caPem: string | null
  os: Os
}

/** Makes this machine known to a server and remembers whom it obeys from now on. */
export async function enrolMachine(options: EnrolOptions): Promise<Identity & { reattached: boolean }> {
  const { folder, serverUrl, token, caPem, os } = options
  const url = serverAddress(serverUrl, ENROL_PATH)
  const { privateKey, machineKey } = prepareFolder(folder, os)
  const claim = { token, machine_key: machineKey, public_key: publicKeyText(privateKey) }
  const request: EnrolRequest = {
    ...claim,
    signature: sign(null, Buffer.from(enrolProof(claim)), privateKey).toString('base64url'),
    facts: {
      hostname: hostname() || 'unnamed',
      platform: os.platform,
      arch: machineArch(),
      agent_version: AGENT_VERSION,
    },
  }
  const { status, text } = await postJson(url, request, caPem)
  if (status < 200 || status > 299) throw new CliError(describeRefusal(status, text, url))
  const answer = EnrolAnswer.safeParse(tryJson(text))
  if (!answer.success)
    throw new CliError(`${url.host} answered, but not as a Muster server: is the address right?`)
  const identity: Identity = {
    server_url: serverUrl,
    agent_id: answer.data.agent_id,
    command_key: answer.data.command_key,
    ca_pem: caPem,
    machine_key: machineKey,
    enrolled_at: new Date().toISOString(),
  }
  writeIdentity(folder, identity)
  return { ...identity, reattached: answer.data.reattached }
}

function prepareFolder(folder: string, os: Os) {
  try {
    makeDataFolder(folder)
    const machineId = os.findMachineId()
    if (machineId === undefined)
      throw new CliError('this machine has no machine id (/etc/machine-id), so it cannot be told from others')
    return { privateKey: makeOrReadKey(folder), machineKey: makeMachineKey(machineId, folder) }
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw new CliError(`the data folder ${folder} cannot be used: ${describeError(cause)}`)
  }
}

function describeRefusal(status: number, text: string, url: URL): string {
  const body = ErrorBody.safeParse(tryJson(text))
  if (body.success) return `the server refused to enrol this machine: ${body.data.detail}`
  if (status >= 300 && status < 400)
    return `${url.host} points to another address: give that one with --server`
  return `${url.host} answered with status ${status} and not as a Muster server: is the address right?`
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const TIMEOUT_MS = 20_000
const MAX_ANSWER_BYTES = 1024 * 1024

/**
 * One POST without `fetch`, whose machinery would stay in the memory of an agent. An import of node:http would load
 * that machinery as well, because `fetch`'s WebSocket is one of its exports.
 */
async function postJson(
  url: URL,
  body: unknown,
  caPem: string | null,
): Promise<{ status: number; text: string }> {
  const text = JSON.stringify(body)
  const options = {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
    timeout: TIMEOUT_MS,
    agent: false,
    ...(caPem === null ? {} : { ca: caPem }),
  } as const
  const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url, options, resolve)
      request.on('error', reject)
      request.on('timeout', () => request.destroy(new Error('it did not answer in time')))
      request.end(text)
    })
    return { status: response.statusCode ?? 0, text: await readAll(response) }
  } catch (cause) {
    throw new CliError(describeConnectionFailure(url, cause))
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    // A response without an encoding yields buffers.
    const bytes = part as Buffer
    size += bytes.byteLength
    if (size > MAX_ANSWER_BYTES) throw new Error('its answer is far too long')
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString()
}

const CONNECTION_FAILURES: Partial<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'it did not answer in time',
  ECONNRESET: 'it broke the connection',
  EPROTO: 'it does not speak TLS',
}
const CERTIFICATE_FAILURES = /CERT|UNABLE_TO_|SELF_SIGNED|ERR_TLS|HOSTNAME/

function describeConnectionFailure(url: URL, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const detail = describeError(cause)
  if (CERTIFICATE_FAILURES.test(code)) {
    return `the certificate of ${url.host} is not trusted (${detail}): give the file of its authority with --ca, and check this machine's clock`
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return `${url.host} does not speak TLS: is the address http instead of https?`
  return `the server ${url.host} cannot be reached: ${CONNECTION_FAILURES[code] ?? detail}`
}
