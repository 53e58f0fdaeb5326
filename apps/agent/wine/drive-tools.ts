import { readFileSync, writeFileSync } from 'node:fs'
import type { ServiceAction, WantedStartType } from '@muster/contract/agent/services'
import { AgentError, MeasureError } from '../src/errors.ts'
import { windowsProbes } from '../src/os/windows/probes.ts'
import { windowsServiceTools } from '../src/os/windows/service-tools.ts'

const never = new AbortController().signal

/** The functions that a test can call in Wine. */
const CALLS = {
  listServices: (name: string | null) => windowsServiceTools.list(name),
  controlService: (name: string, action: ServiceAction) => windowsServiceTools.control(name, action),
  setStartType: (name: string, to: WantedStartType) => windowsServiceTools.setStartType(name, to),
  findService: (name: string) => windowsProbes.findService(name, never),
  startService: (name: string) => windowsProbes.startService(name, never),
}

export type Step = {
  [Name in keyof typeof CALLS]: [call: Name, ...input: Parameters<(typeof CALLS)[Name]>]
}[keyof typeof CALLS]
export type Answer<Name extends keyof typeof CALLS> = Awaited<ReturnType<(typeof CALLS)[Name]>>
/** `refused`: the message for the user. `failed`: a defect. */
export interface Reported {
  answer?: unknown
  refused?: string
  failed?: string
  milliseconds: number
}

const [, , input = '', output = ''] = process.argv
// Written by the test.
const steps = JSON.parse(readFileSync(input, 'utf8')) as Step[]
const reported: Reported[] = []
for (const [call, ...values] of steps) {
  const startedMs = performance.now()
  // The parameters of a step are those of its call.
  const run = CALLS[call] as (...given: unknown[]) => Promise<unknown>
  const found = await run(...values).then(
    (answer) => ({ answer }),
    (error: unknown) =>
      error instanceof AgentError || error instanceof MeasureError
        ? { refused: error.message }
        : { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  )
  reported.push({ ...found, milliseconds: performance.now() - startedMs })
}
writeFileSync(output, JSON.stringify(reported))
