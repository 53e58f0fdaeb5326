import { sign } from 'node:crypto'
import { hostname } from 'node:os'
import { ENROL_PATH, EnrolResponse, enrolProof, type EnrolRequest } from '@muster/contract/agent/enrol'
import type { Hardware } from '@muster/contract/agent/hardware'
import { ErrorBody } from '@muster/contract/error-body'
import { compareHardware } from '@muster/rules/agents/hardware'
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
import { postJson } from './post-json.ts'
import { requestOptions, UntrustedCertificate } from './server-trust.ts'

const TIMEOUT_MS = 20_000

export interface EnrolOptions {
  folder: string
  serverUrl: string
  token: string
  caPem: string | null
  /** null = none. */
  proxy?: string | null
  os: Os
}

/** Enrols this machine at a server and stores its identity. */
export async function enrolMachine(options: EnrolOptions): Promise<Identity & { reattached: boolean }> {
  const { folder, serverUrl, token, caPem, proxy = null, os } = options
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
  const server = {
    server_url: serverUrl,
    ca_pem: caPem,
    proven_certificate: null,
    ...(proxy !== null && { proxy }),
  }
  const { status, text } = await postJson(url, request, requestOptions(server, TIMEOUT_MS)).catch(
    (cause: unknown) => {
      throw new CliError(describeConnectionFailure(url, cause))
    },
  )
  if (status < 200 || status > 299) throw refusal(status, text, url)
  const answer = EnrolResponse.safeParse(tryJson(text))
  if (!answer.success) throw new CliError(`${url.host} is not a Muster server. Check the address`)
  const identity: Identity = {
    ...server,
    agent_id: answer.data.agent_id,
    command_key: answer.data.command_key,
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

export function describeConnectionFailure(url: URL, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const detail = describeError(cause)
  if (cause instanceof UntrustedCertificate) return `${detail}. Use --ca with the PEM file of its authority`
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return `${url.host} does not use TLS. Try http instead of https`
  return `failed to reach the server ${url.host}: ${CONNECTION_FAILURES[code] ?? detail}`
}
