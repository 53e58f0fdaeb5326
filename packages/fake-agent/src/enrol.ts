import { ENROL_PATH, EnrolResponse, enrolProof, type EnrolRequest } from '@muster/contract/agent/enrol'
import { ErrorBody } from '@muster/contract/error-body'
import { AGENT_VERSION } from './facts.ts'
import { machineKeyOf, publicKeyOf, signAs } from './identity.ts'

export interface NewMachine {
  server: string
  token: string
  seed: number
  index: number
  facts: Pick<EnrolRequest['facts'], 'hostname' | 'arch'>
}

/**
 * Tokens are for one platform, and the console creates them for Linux. The first report contains the machine's own
 * platform.
 */
const TOKEN_PLATFORM = 'linux'
const BUSY_RETRIES = 20
const BUSY_WAIT_MS = 500

/** Enrols a machine like a real agent. Waits if the server is busy. */
export async function enrolMachine(machine: NewMachine): Promise<EnrolResponse> {
  const { token, seed, index, facts } = machine
  const named = { token, machine_key: machineKeyOf(seed, index), public_key: publicKeyOf(seed, index) }
  const request: EnrolRequest = {
    ...named,
    signature: signAs(seed, index, enrolProof(named)),
    facts: {
      hostname: facts.hostname,
      platform: TOKEN_PLATFORM,
      arch: facts.arch,
      agent_version: AGENT_VERSION,
    },
  }
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(new URL(ENROL_PATH, machine.server), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(request),
    })
    const text = await response.text()
    if (response.ok) return EnrolResponse.parse(JSON.parse(text))
    if ((response.status !== 429 && response.status !== 503) || attempt >= BUSY_RETRIES) {
      throw new Error(`failed to enrol machine ${index}: ${describeRefusal(response.status, text)}`)
    }
    const waitSeconds = Number(response.headers.get('retry-after') ?? 0)
    await new Promise((resolve) => setTimeout(resolve, Math.max(BUSY_WAIT_MS, waitSeconds * 1000)))
  }
}

function describeRefusal(status: number, text: string): string {
  const body = ErrorBody.safeParse(tryJson(text))
  return body.success ? body.data.detail : `the server returned ${status}`
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
