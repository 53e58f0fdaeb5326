// npm run fleet -- --server URL --token T --agents N --seconds S [--reports-per-second R] [--seed N]
import { parseArgs } from 'node:util'
import { startFleet } from './fleet.ts'

const USAGE =
  'usage: npm run fleet -- --server URL --token TOKEN [--agents 100] [--seconds 60] [--reports-per-second 10] [--check-results-per-second 0] [--seed 1]'

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    token: { type: 'string' },
    agents: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    'reports-per-second': { type: 'string', default: '10' },
    'check-results-per-second': { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})
const { server, token } = values
if (server === undefined || token === undefined || !URL.canParse(server)) fail(USAGE)
const count = readNumber('agents', values.agents)
const seconds = readNumber('seconds', values.seconds)
const startedMs = Date.now()

const fleet = await startFleet({
  server,
  token,
  count,
  seed: readNumber('seed', values.seed),
  reportsPerSecond: readNumber('reports-per-second', values['reports-per-second']),
  checkResultsPerSecond: readNumber('check-results-per-second', values['check-results-per-second']),
  onProgress: (enrolled) => {
    if (enrolled % 500 === 0) console.log(`${enrolled} of ${count} enrolled`)
  },
}).catch((error: unknown) => fail(error instanceof Error ? describe(error) : String(error)))
console.log(`all ${count} enrolled after ${secondsSince(startedMs)} s`)

const progress = setInterval(showProgress, 5000)
const end = setTimeout(finish, seconds * 1000)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, finish)
await fleet.waitForConnected(count, 120_000).then(
  () => console.log(`all ${count} connected after ${secondsSince(startedMs)} s`),
  (error: Error) => console.log(error.message),
)

function showProgress(): void {
  const { connected, reports, commands } = fleet.counts
  console.log(
    `${secondsSince(startedMs)} s: ${connected} connected, ${reports} reports, ${commands} commands`,
  )
}

function finish(): void {
  clearInterval(progress)
  clearTimeout(end)
  const { counts } = fleet
  const waiting = fleet.machines.reduce((sum, machine) => sum + machine.waitingReports, 0)
  const memory = Math.round(process.memoryUsage().rss / 1024 / 1024)
  console.log(
    [
      `${counts.connected} of ${count} connected, ${counts.connects} sign-ins, ${counts.refusals} refused, ${counts.dialErrors} dial errors`,
      `${counts.reports} reports, ${waiting} not acknowledged`,
      `${counts.commands} commands, ${counts.refusedCommands} refused by the machines`,
      `${memory} MB for this process after ${secondsSince(startedMs)} s`,
    ].join('\n'),
  )
  const isWhole = counts.connected === count
  if (!isWhole && fleet.describeTrouble() !== '') console.log(fleet.describeTrouble())
  fleet.stop()
  process.exit(isWhole ? 0 : 1)
}

function readNumber(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) fail(`--${name} must be a whole number\n${USAGE}`)
  return value
}

function secondsSince(ms: number): string {
  return ((Date.now() - ms) / 1000).toFixed(1)
}

function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
