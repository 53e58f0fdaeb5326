import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { getPriority } from 'node:os'
import type { ProcessTarget } from '@muster/contract/agent/processes'
import type { ServiceAction, WantedStartType } from '@muster/contract/agent/services'
import type { SystemTaskAction } from '@muster/contract/agent/scheduler'
import type { RegistryChange } from '@muster/contract/agent/registry'
import { AgentError, MeasureError } from '../src/errors.ts'
import type { EndOptions } from '../src/os/os.ts'
import { windows } from '../src/os/windows.ts'
import { loadCom } from '../src/os/windows/com.ts'
import { windowsProcessTools } from '../src/os/windows/process-tools.ts'
import { windowsProbes } from '../src/os/windows/probes.ts'
import { windowsRegistry } from '../src/os/windows/registry/registry.ts'
import { windowsScheduler } from '../src/os/windows/scheduler/task-scheduler.ts'
import { windowsServiceTools } from '../src/os/windows/service-tools.ts'
import { windowsSoftware } from '../src/os/windows/software.ts'

const never = new AbortController().signal

/** The functions that a test can call in Wine. */
const CALLS = {
  listServices: (name: string | null) => windowsServiceTools.list(name),
  controlService: (name: string, action: ServiceAction) => windowsServiceTools.control(name, action),
  setStartType: (name: string, to: WantedStartType) => windowsServiceTools.setStartType(name, to),
  readProcesses,
  describeSelf,
  endProcess: async (program: string[], options: EndOptions) => {
    const target = await startTarget(program)
    return windowsProcessTools.end(target, options)
  },
  endMissing: (pid: number) => windowsProcessTools.end({ pid, start: '1' }, { force: true, tree: false }),
  setPriority: async (program: string[], nice: number) => {
    const target = await startTarget(program)
    const name = await windowsProcessTools.setPriority(target, nice)
    return { name, nice: getPriority(target.pid) }
  },
  findProcesses: (name: string) => windowsProbes.findProcesses(name, never),
  readMemory: () => windowsProbes.readMemory(never),
  readQuickFacts: () => windows.readQuickFacts(),
  readSlowFacts: () => windows.readSlowFacts(),
  readTimeZone: async () => windows.readTimeZone(),
  findMachineId: () => windows.findMachineId(),
  listSoftware: () => windowsSoftware.list(never),
  changeRegistry: (change: RegistryChange) => windowsRegistry.change(change),
  readCounters: async () => windows.readCounters('all'),
  findService: (name: string) => windowsProbes.findService(name, never),
  startService: (name: string) => windowsProbes.startService(name, never),
  nameTemporaryFile,
  listSystemTasks: (name: string | null) => windowsScheduler.list(name),
  changeSystemTask: (name: string, action: SystemTaskAction) => windowsScheduler.change(name, action),
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

/** Two snapshots, as a watched list is read. */
async function readProcesses() {
  const reader = windowsProcessTools.openReader()
  const first = await reader.read(never)
  const startedMs = performance.now()
  const { processes, ...sums } = await reader.read(never)
  const kept = processes.filter(({ process }) => first.processes.some((old) => old.process === process))
  return { processes, ...sums, kept: kept.length, milliseconds: performance.now() - startedMs }
}

/** This process as the list shows it, while it listens on a port of each kind. */
async function describeSelf() {
  const tcp = createServer().listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const udp = createSocket('udp4').bind(0, '127.0.0.1')
  await once(udp, 'listening')
  const { processes } = await windowsProcessTools.openReader().read(never)
  const address = tcp.address()
  const ports = [typeof address === 'object' ? address?.port : undefined, udp.address().port]
  tcp.close()
  udp.close()
  return { found: processes.find(({ process: { pid } }) => pid === process.pid), ports, pid: process.pid }
}

/** FileSystemObject.GetTempName: a component whose method returns a text, as those of the security center do. */
async function nameTemporaryFile() {
  const com = await loadCom()
  using files = com.create('0D43FE01-F093-11CF-8940-00A0C9054228', '0AB5A3D0-E5B6-11D0-ABF5-00A0C90FFFC0')
  const name = Buffer.alloc(8)
  com.require(files.call(15, name), 'No temporary name')
  return com.takeText(name)
}

async function startTarget([program = '', ...args]: string[]): Promise<ProcessTarget> {
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  const { pid } = child
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    const { processes } = await windowsProcessTools.openReader().read(never)
    const found = processes.find((entry) => entry.process.pid === pid)
    if (found !== undefined) return { pid: found.process.pid, start: found.process.start }
  }
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
  writeFileSync(output, JSON.stringify(reported))
}
// Programs that a step has started may run on.
process.exit(0)
