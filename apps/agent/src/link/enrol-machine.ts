import { sign } from 'node:crypto'
import { hostname } from 'node:os'
import { ENROL_PATH, EnrolResponse, enrolProof, type EnrolRequest } from '@muster/contract/agent/enrol'
import type { Hardware } from '@muster/contract/agent/hardware'
import { ErrorBody } from '@muster/contract/error-body'
import { compareHardware } from '@muster/rules/agents/hardware'
import type { IncomingMessage } from 'node:http'
import { CliError, RefusedError } from '../errors.ts'
import { makeDataFolder } from '../identity/data-folder.ts'
import {
  type Identity,
  makeKey,
  makeMachineKey,
  makeOrFindMachineId,
  makeOrReadKey,
  publicKeyText,
  tryFindIdentity,
  writeIdentity,
} from '../identity/identity.ts'
import { describeError } from '../log/log.ts'
import { machineArch } from '../os/node-os.ts'
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

/** Enrols this machine at a server and stores its identity. */
export async function enrolMachine(options: EnrolOptions): Promise<Identity & { reattached: boolean }> {
  const { folder, serverUrl, token, caPem, os } = options
  const url = serverAddress(serverUrl, ENROL_PATH)
  const { privateKey, machineKey, hardware } = await prepareFolder(folder, os)
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
    ...(hardware && { hardware }),
  }
  const { status, text } = await postJson(url, request, caPem)
  if (status < 200 || status > 299) throw refusal(status, text, url)
  const answer = EnrolResponse.safeParse(tryJson(text))
  if (!answer.success) throw new CliError(`${url.host} is not a Muster server. Check the address`)
  const identity: Identity = {
    server_url: serverUrl,
    agent_id: answer.data.agent_id,
    command_key: answer.data.command_key,
    ca_pem: caPem,
    machine_key: machineKey,
    ...(hardware && { hardware }),
    enrolled_at: new Date().toISOString(),
  }
  writeIdentity(folder, identity)
  return { ...identity, reattached: answer.data.reattached }
}

async function prepareFolder(folder: string, os: Os) {
  try {
    makeDataFolder(folder)
    await os.protectFolder?.(folder)
    const machineKey = makeMachineKey(await makeOrFindMachineId(folder, os), folder)
    const hardware = await os.readHardware?.()
    const isCopy = isOfAnotherMachine(folder, { machineKey, hardware })
    return { privateKey: isCopy ? makeKey(folder) : makeOrReadKey(folder), machineKey, hardware }
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw new CliError(`the data folder ${folder} is not usable: ${describeError(cause)}`)
  }
}

/** Whether the folder was copied from a machine that is enrolled. */
function isOfAnotherMachine(
  folder: string,
  { machineKey, hardware }: { machineKey: string; hardware: Hardware | undefined },
): boolean {
  const known = tryFindIdentity(folder)
  if (known === undefined) return false
  if (known.machine_key !== machineKey) return true
  if (known.hardware === undefined || hardware === undefined) return false
  return compareHardware(known.hardware, hardware) === 'other'
}

const MAY_SUCCEED_LATER = (status: number) => status === 429 || status > 499

function refusal(status: number, text: string, url: URL): CliError {
  const body = ErrorBody.safeParse(tryJson(text))
  const sentence = body.success
    ? `the server refused to enrol this machine: ${body.data.detail}`
    : describeStranger(status, url)
  return body.success && !MAY_SUCCEED_LATER(status) ? new RefusedError(sentence) : new CliError(sentence)
}

function describeStranger(status: number, url: URL): string {
  if (status >= 300 && status < 400)
    return `${url.host} redirects to another address. Use that one with --server`
  return `${url.host} returned status ${status} and is not a Muster server. Check the address`
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const TIMEOUT_MS = 20_000
const MAX_RESPONSE_BYTES = 1024 * 1024

/**
 * One POST without `fetch`, which would stay in the memory of the agent. Importing node:http loads it too, because
 * `fetch`'s WebSocket is one of its exports.
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
      request.on('timeout', () => request.destroy(new Error('it did not respond in time')))
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
    if (size > MAX_RESPONSE_BYTES) throw new Error('its response is too long')
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString()
}

const CONNECTION_FAILURES: Partial<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'DNS is not available',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'it did not respond in time',
  ECONNRESET: 'connection reset',
  EPROTO: 'it does not use TLS',
}
const CERTIFICATE_FAILURES = /CERT|UNABLE_TO_|SELF_SIGNED|ERR_TLS|HOSTNAME/

function describeConnectionFailure(url: URL, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const detail = describeError(cause)
  if (CERTIFICATE_FAILURES.test(code)) {
    return `the certificate of ${url.host} is not trusted (${detail}). Use --ca with its CA file, and check this machine's clock`
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return `${url.host} does not use TLS. Try http instead of https`
  return `failed to reach the server ${url.host}: ${CONNECTION_FAILURES[code] ?? detail}`
}
