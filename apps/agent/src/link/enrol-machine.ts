import { sign } from 'node:crypto'
import { hostname } from 'node:os'
import { ENROL_PATH, EnrolAnswer, enrolProof, type EnrolRequest } from '@muster/contract/agent/enrol'
import { ErrorBody } from '@muster/contract/errors'
import { CliError } from '../cli/cli-error.ts'
import { makeDataFolder } from '../identity/data-folder.ts'
import { writeIdentity, type Identity } from '../identity/identity.ts'
import { makeMachineKey } from '../identity/machine-key.ts'
import { makeOrReadKey, publicKeyText } from '../identity/machine-key-pair.ts'
import { describeError } from '../log/log.ts'
import { machineArch } from '../os/machine-arch.ts'
import type { Os } from '../os/os.ts'
import { AGENT_VERSION } from '../version.ts'
import { serverAddress } from './address.ts'
import { postJson } from './post-json.ts'

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
