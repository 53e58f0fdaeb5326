import { readFileSync, writeFileSync } from 'node:fs'
import type { RegistryChange } from '@muster/contract/agent/registry'
import { AgentError } from '../src/errors.ts'
import { windowsRegistry } from '../src/os/windows/registry/registry.ts'

/** `many` creates so many keys and values below `path`. */
export type Step =
  | RegistryChange
  | { path: string; name: string }
  | { find: true; path: string; name: string }
  | { path: string; keys_from: number; values_from: number }
  | { path: string; many: number }

export interface Reported {
  answer?: unknown
  refused?: string
  failed?: string
  milliseconds?: number
}

const [, , input = '', output = ''] = process.argv
const steps = JSON.parse(readFileSync(input, 'utf8')) as Step[]
const reported: Reported[] = []
for (const step of steps) {
  const startedMs = performance.now()
  try {
    const answer = await take(step)
    reported.push({ answer, milliseconds: performance.now() - startedMs })
  } catch (error) {
    if (error instanceof AgentError) reported.push({ refused: error.message })
    else reported.push({ failed: (error instanceof Error ? error.stack : undefined) ?? 'unknown' })
  }
}
writeFileSync(output, JSON.stringify(reported))

async function take(step: Step): Promise<unknown> {
  if ('change' in step) return windowsRegistry.change(step)
  if ('find' in step) return windowsRegistry.findValue(step)
  if ('many' in step) {
    for (let index = 0; index < step.many; index += 1) {
      await windowsRegistry.change({ change: 'create-key', path: `${step.path}\\key ${index}` })
      const name = `value ${index}`
      await windowsRegistry.change({
        change: 'set-value',
        path: step.path,
        name,
        type: 4,
        bytes: 'AQAAAA==',
        is_new: true,
      })
    }
    return null
  }
  return 'name' in step ? windowsRegistry.readValue(step) : windowsRegistry.readKey(step)
}
