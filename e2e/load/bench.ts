// npm run bench [-- MEASURE ...]: measures the budgets that exist so far, prints them and keeps them in
// docs/benchmarks.md. Without names all but `samples`, `steady`, `packages` and `large` are measured; --print leaves the
// file alone.
import { parseArgs } from 'node:util'
import { buildPrograms } from '../support/build.ts'
import type { Figure } from './budgets.ts'
import { measureAgent } from './measure-agent.ts'
import { measureAlerts } from './measure-alerts.ts'
import { measureCommand, measureList, measureLoad, measureReconnect } from './measure-api.ts'
import { measureConsole, measureFirstOpen } from './measure-console.ts'
import { measureDesktop } from './measure-desktop.ts'
import { measureFiles } from './measure-files.ts'
import { measureHostile } from './measure-hostile.ts'
import { measureJobs } from './measure-jobs.ts'
import { measurePackages } from './measure-packages.ts'
import { measurePolicies } from './measure-policies.ts'
import { measureOverview } from './measure-overview.ts'
import { measureProcesses } from './measure-processes.ts'
import { measureSamples } from './measure-samples.ts'
import { measureSearch } from './measure-search.ts'
import { measureStart } from './measure-start.ts'
import { measureSteady } from './measure-steady.ts'
import { measureTerminal } from './measure-terminal.ts'
import { measureUpdates } from './measure-updates.ts'
import { measureWindowsAgent } from './measure-windows-agent.ts'
import { measureWindowsDesktop } from './measure-windows-desktop.ts'
import { openStage, type Stage } from './stage.ts'
import { tableRow, writeTable } from './write-table.ts'

const MACHINES = 10_000
const MANY_MACHINES = 100_000

/** In this order on one stage: those that leave it as it was first, the restarts last. */
const ON_STAGE = {
  list: measureList,
  command: measureCommand,
  search: measureSearch,
  jobs: measureJobs,
  console: (stage: Stage) =>
    measureConsole(stage, {
      load: 'firstLoad',
      open: 'open10k',
      worst: 'worst10k',
      search: 'search10k',
      scroll: 'scroll',
    }),
  load: (stage: Stage) => measureLoad(stage, { memory: 'memory', p99: 'apiP99' }),
  policies: measurePolicies,
  policed: (stage: Stage) => measureLoad(stage, { memory: 'policedMemory', p99: 'policedP99' }),
  alerts: measureAlerts,
  reconnect: measureReconnect,
  first: (stage: Stage) => measureFirstOpen(stage, 'first10k'),
}
/** These take minutes to prepare. */
const LONG = ['samples', 'steady', 'packages', 'updates', 'large']
const ALL = [
  ...Object.keys(ON_STAGE),
  'overview',
  'start',
  'agent',
  'terminal',
  'processes',
  'files',
  'desktop',
  'windows',
  'hostile',
  ...LONG,
]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    print: { type: 'boolean', default: false },
    machines: { type: 'string', default: `${MACHINES}` },
  },
})
const unknown = positionals.filter((name) => !ALL.includes(name))
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are ${ALL.join(', ')}`)
  process.exit(1)
}
const wanted = positionals.length > 0 ? positionals : ALL.filter((name) => !LONG.includes(name))
const figures: Figure[] = []

buildPrograms()
await measureOnStage()
if (wanted.includes('overview')) keep(await measureOverview(Number(values.machines)))
if (wanted.includes('start')) keep(await measureStart())
if (wanted.includes('samples')) keep(await measureSamples())
if (wanted.includes('steady')) keep(await measureSteady())
if (wanted.includes('agent')) keep(await measureAgent())
if (wanted.includes('terminal')) keep(await measureTerminal())
if (wanted.includes('processes')) keep(await measureProcesses())
if (wanted.includes('files')) keep(await measureFiles())
if (wanted.includes('desktop')) keep(await measureDesktop())
if (wanted.includes('windows')) {
  keep(await measureWindowsAgent())
  keep(await measureWindowsDesktop())
}
if (wanted.includes('hostile')) keep(await measureHostile())
if (wanted.includes('packages')) keep(await measurePackages())
if (wanted.includes('updates')) keep(await measureUpdates(Number(values.machines)))
if (wanted.includes('large')) await measureLarge()
if (!values.print) writeTable(figures)

async function measureOnStage(): Promise<void> {
  const measures = Object.entries(ON_STAGE).filter(([name]) => wanted.includes(name))
  if (measures.length === 0) return
  const machines = Number(values.machines)
  console.log(`Enrolling ${machines} machines ...`)
  await using stage = await openStage({ machines })
  for (const [name, measure] of measures) {
    console.log(`Measuring ${name} ...`)
    keep(await measure(stage))
  }
  try {
    stage.server.expectCleanLog()
  } catch (error) {
    // The figures stand, and the run has failed.
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

async function measureLarge(): Promise<void> {
  console.log(`Enrolling ${MANY_MACHINES} machines, which takes minutes ...`)
  await using stage = await openStage({ machines: MANY_MACHINES, mode: 'visit' })
  keep(await measureConsole(stage, { open: 'open100k', worst: 'worst100k', search: 'search100k' }))
  keep(await measureFirstOpen(stage, 'first100k'))
}

function keep(more: Figure[]): void {
  figures.push(...more)
  for (const figure of more) console.log(tableRow(figure))
}
