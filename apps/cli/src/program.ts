import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { openClient } from './client.ts'
import type { CompletedShell } from './completion.ts'
import type { Context } from './output.ts'
import { type ProfileOptions, requireProfile } from './profiles.ts'

interface GlobalOptions extends ProfileOptions {
  json?: true
}

const DEFAULT_WATCH_SECONDS = 5
const DEFAULT_JOBS = 50
const MAX_ID = 2_147_483_647
const SHELLS = ['sh', 'bash', 'powershell', 'cmd'] as const
const SCRIPTS = 'write scripts that install the agent on the machines of each site'
const COMPLETED_SHELLS: readonly CompletedShell[] = ['bash', 'zsh', 'fish']

/** All commands. Their code is loaded when they run: help and completion answer at once. */
export function createProgram(stop: AbortController): Command {
  const program = new Command('muster')
    .description('Works with a Muster server from the command line.')
    .option('--profile <name>', 'profile of "muster login"')
    .option('--ca <file>', "PEM file with the authority of the server's certificate")
    .option('--json', 'print the objects of the API')
    .exitOverride()
    .configureOutput({
      outputError: (text, write) =>
        write(
          `${text
            .replace(/^error: /, 'muster: ')
            .trim()
            .replaceAll('\n', ' ')}\n`,
        ),
    })
  const open = (): Context => {
    const options = program.opts<GlobalOptions>()
    return {
      client: openClient(requireProfile(options), stop.signal),
      json: options.json === true,
      signal: stop.signal,
    }
  }

  program
    .command('login')
    .description('read an API key from standard input or a prompt, check it and store it')
    .requiredOption('--server <url>', 'address of the server')
    .action(async ({ server }: { server: string }) => {
      const { login } = await import('./login.ts')
      await login({ ...program.opts<GlobalOptions>(), server }, stop)
    })

  program
    .command('logout')
    .description('delete the stored API key; it stays valid until it is deleted in the console')
    .action(async () => {
      const { logout } = await import('./login.ts')
      logout(program.opts<GlobalOptions>())
    })

  const agents = program.command('agents').description('machines')
  withWatch(agents.command('list [search...]'))
    .description("list machines, all or those that match a search, as in the console's machines table")
    .action(async (search: string[], { watch }: WatchOptions) => {
      const { listMachines } = await import('./agents.ts')
      await listMachines(open(), search.join(' '), secondsOf(watch))
    })
  agents
    .command('show <machine>')
    .description('show a machine by its name or id')
    .action(async (machine: string) => {
      const { showMachine } = await import('./agents.ts')
      await showMachine(open(), machine)
    })

  program
    .command('run <command...>')
    .description(
      'run a command: on one machine with its output and exit code, on several as a job with a plan',
    )
    .usage('--on <search> [options] -- <command...>')
    .requiredOption('--on <search>', "machines, as in the search of the console's machines table")
    .addOption(new Option('--shell <shell>', 'shell of the command').choices(SHELLS).default('sh'))
    .option('--timeout <seconds>', 'time limit of the command', (text) => parseNumber(text, 1, 86_400))
    .option('--keep', 'run on offline machines when they reconnect, for 48 hours', false)
    .option('-y, --yes', 'start the job of several machines without a question', false)
    .action(async (command: string[], options: RunFlags) => {
      const { run } = await import('./run.ts')
      const { on: search, timeout: timeoutSeconds, ...flags } = options
      const code = await run(open(), { ...flags, search, timeoutSeconds, command: command.join(' ') }, stop)
      process.exitCode = code
    })

  const jobs = program.command('jobs').description('actions on many machines')
  withWatch(jobs.command('list'))
    .description('list jobs, newest first')
    .option('--limit <count>', 'number of jobs', (text) => parseNumber(text, 1, 1000), DEFAULT_JOBS)
    .action(async ({ limit, watch }: WatchOptions & { limit: number }) => {
      const { listJobs } = await import('./jobs.ts')
      await listJobs(open(), { limit, watchSeconds: secondsOf(watch) })
    })
  jobs
    .command('show')
    .argument('<id>', 'id of the job', parseId)
    .description('show a job with its results')
    .action(async (id: number) => {
      const { showJob } = await import('./jobs.ts')
      await showJob(open(), id)
    })
  jobs
    .command('wait')
    .argument('<id>', 'id of the job', parseId)
    .description('wait until a job has ended; exit code 1 if it failed on any machine')
    .action(async (id: number) => {
      const { waitForJob } = await import('./jobs.ts')
      process.exitCode = await waitForJob(open(), id)
    })

  const alerts = program.command('alerts').description('open and acknowledged alerts')
  withWatch(alerts.command('list'))
    .description('list alerts, most severe and newest first')
    .action(async ({ watch }: WatchOptions) => {
      const { printAlerts } = await import('./alerts.ts')
      await printAlerts(open(), secondsOf(watch))
    })
  alerts
    .command('ack')
    .argument('<id>', 'id of the alert', parseId)
    .description('acknowledge an alert')
    .option('--note <text>', 'note for the log of the alert')
    .action(async (id: number, { note }: { note?: string }) => {
      const { acknowledgeAlert } = await import('./alerts.ts')
      await acknowledgeAlert(open(), id, note)
    })

  const scripts = program.command('scripts').description('the script library')
  withWatch(scripts.command('list'))
    .description('list scripts')
    .action(async ({ watch }: WatchOptions) => {
      const { printScripts } = await import('./scripts.ts')
      await printScripts(open(), secondsOf(watch))
    })

  const imports = program.command('import').description('move in from another product; safe to repeat')
  withApply(imports.command('tactical'))
    .description('read a Tactical RMM server through its API: show a plan, or carry it out')
    .requiredOption('--url <url>', 'address of its API')
    .option('--key <key>', 'its API key; without one it is read from a prompt or standard input')
    .option('--scripts <folder>', SCRIPTS)
    .action(async (options: { url: string; key?: string; apply: boolean; scripts?: string }) => {
      const { importTactical } = await import('./import/import-tactical.ts')
      process.exitCode = await importTactical(open(), options, stop)
    })

  withApply(imports.command('csv <file>'))
    .description('read clients and sites from a CSV file: show a plan, or carry it out')
    .action(async (file: string, { apply }: { apply: boolean }) => {
      const { importCsv } = await import('./import/import-csv.ts')
      process.exitCode = await importCsv(open(), file, apply)
    })
  withApply(imports.command('meshcentral <file...>'))
    .description('read groups and devices that MeshCentral has listed as JSON: show a plan, or carry it out')
    .requiredOption('--client <name>', 'the client whose sites the groups become')
    .option('--scripts <folder>', SCRIPTS)
    .action(async (files: string[], options: { client: string; apply: boolean; scripts?: string }) => {
      const { importMeshcentral } = await import('./import/import-meshcentral.ts')
      process.exitCode = await importMeshcentral(open(), files, options)
    })

  program
    .command('mcp')
    .description('serve the Model Context Protocol on standard input and output')
    .action(async () => {
      const { serveMcp } = await import('./mcp.ts')
      await serveMcp(open().client, stop.signal)
    })

  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(COMPLETED_SHELLS))
    .description('print a script that completes commands in this shell')
    .action(async (shell: CompletedShell) => {
      const { writeCompletion } = await import('./completion.ts')
      process.stdout.write(writeCompletion(program, shell))
    })

  return program
}

interface RunFlags {
  on: string
  shell: (typeof SHELLS)[number]
  timeout?: number
  keep: boolean
  yes: boolean
}

interface WatchOptions {
  /** true = without a number. */
  watch?: number | true
}

function withWatch(command: Command): Command {
  return command.option('-w, --watch [seconds]', 'repeat the list, every 5 seconds by default', (text) =>
    parseNumber(text, 1, 86_400),
  )
}

function withApply(command: Command): Command {
  return command.option('--apply', 'carry out the plan; without it nothing changes', false)
}

function secondsOf(watch: number | true | undefined): number | undefined {
  return watch === true ? DEFAULT_WATCH_SECONDS : watch
}

function parseId(text: string): number {
  return parseNumber(text, 1, MAX_ID)
}

function parseNumber(text: string, min: number, max: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`)
}
