import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RegistryChange } from '@muster/contract/agent/registry'
import { build } from 'rolldown'
import { fetchPackages, type WineMachine, windowsPath } from './wine-machine.ts'

export type Step =
  | RegistryChange
  | { path: string; name: string }
  | { path: string; keys_from: number; values_from: number }
  | { path: string; many: number }

interface Reported {
  answer?: unknown
  refused?: string
  failed?: string
  milliseconds?: number
}

/** Runs steps on the registry of Wine, one after the other, and returns their results. */
export async function runInWine(machine: WineMachine, steps: readonly Step[]): Promise<Reported[]> {
  const { folder, node } = fetchPackages()
  const driver = join(folder, 'drive-registry.mjs')
  await build({
    input: join(import.meta.dirname, 'drive-registry.ts'),
    platform: 'node',
    external: ['koffi'],
    logLevel: 'warn',
    output: { file: driver, format: 'esm', codeSplitting: false },
  })
  const [input, output] = [join(machine.folder, 'steps.json'), join(machine.folder, 'reported.json')]
  writeFileSync(input, JSON.stringify(steps))
  rmSync(output, { force: true })
  const code = await machine.run([node, ...[driver, input, output].map(windowsPath)])
  if (code !== 0) throw new Error(`Node for Windows ended with ${code}: ${machine.readOutput()}`)
  // Written by the driver.
  return JSON.parse(readFileSync(output, 'utf8')) as Reported[]
}
