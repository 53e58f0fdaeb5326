import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { keepFilesPrivate } from './os/umask.ts'

const USAGE = `Muster agent

  enrol --server URL [--token TOKEN] [--data DIR] [--ca FILE] [--proxy URL] [--run]
                    make this machine known to a server; with --run go on as "run"
  run [--data DIR]  connect to the server and work until stopped
  status [--data DIR]
  trust [--ca FILE] [--data DIR]
                    trust the certificate that the server presents now, by a PEM file of its authority or of itself;
                    without a file by public authorities. The machine keeps its identity
  install [--data DIR] [--program-folder DIR] [--server URL --token TOKEN] [--ca FILE] [--proxy URL]
                    run as a service of the system from now on (Windows, macOS, Linux with systemd); with a server,
                    enrol when the service starts
  lay-out --program-folder DIR
                    put this version into the program folder of an agent that updates itself
  restart-agents --program-folder DIR
                    have running agents continue with the version that was installed there (Linux)
  end-agents --program-folder DIR
                    end every agent of this program folder, also those started by hand
  uninstall [--data DIR]
                    end the agent, and remove its service and everything it keeps

MUSTER_LOG_LEVEL is debug, info, warn or error. MUSTER_ENROL_TOKEN is the token of enrol and
install: unlike --token, other users of this machine cannot read it. HTTPS_PROXY, HTTP_PROXY and
NO_PROXY are read by enrol and install, and kept for the service; --proxy none ignores them.
`

const OPTIONS = {
  server: { type: 'string' },
  token: { type: 'string' },
  data: { type: 'string' },
  ca: { type: 'string' },
  proxy: { type: 'string' },
  run: { type: 'boolean' },
  'program-folder': { type: 'string' },
  package: { type: 'string' },
  'by-package': { type: 'boolean' },
  order: { type: 'string' },
  file: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

keepFilesPrivate()
process.exitCode = await main()

// Modules are loaded on use: an agent that runs for months does not carry the code of other commands.
async function main(): Promise<number> {
  await import('./cli/schema-settings.ts')
  const { CliError } = await import('./errors.ts')
  try {
    if (process.platform === 'win32') await (await import('./os/windows/end-process.ts')).skipCleanUpAtExit()
    return await dispatch()
  } catch (cause) {
    const { describeError } = await import('./log/log.ts')
    const isExpected = cause instanceof CliError || (cause instanceof TypeError && 'code' in cause)
    const text =
      isExpected || !(cause instanceof Error) ? describeError(cause) : (cause.stack ?? cause.message)
    process.stderr.write(`muster-agent: ${text}\n`)
    return 1
  }
}

async function dispatch(): Promise<number> {
  const { MUSTER_ENROL_TOKEN: givenToken } = process.env
  // Child processes do not need it.
  delete process.env.MUSTER_ENROL_TOKEN
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [command, ...rest] = positionals
  if (values.help === true || command === undefined || rest.length > 0) {
    process.stdout.write(USAGE)
    return values.help === true ? 0 : 2
  }
  const { os } = await import('./os/index.ts')
  const folder = resolve(values.data ?? os.defaultDataFolder())
  // Command line that starts this agent again.
  const program = [process.execPath, ...process.execArgv, resolve(process.argv[1] ?? '')]
  switch (command) {
    case 'enrol': {
      const { enrol } = await import('./cli/enrol.ts')
      await enrol({
        folder,
        server: values.server,
        token: values.token ?? givenToken,
        caFile: values.ca,
        proxy: values.proxy,
      })
      return values.run === true ? runAgent(folder, program) : 0
    }
    case 'run':
      return runAgent(folder, program)
    case 'status':
      return (await import('./cli/status.ts')).printStatus(folder)
    case 'trust':
      await (await import('./cli/trust.ts')).trust({ folder, caFile: values.ca })
      return 0
    // For the service manager of Windows.
    case 'service':
      await (await import('./cli/run.ts')).runAsService(folder, program)
      return 0
    // The next commands are for the agent's own child processes.
    case 'warm-up':
      await (await import('./cli/low-memory-start.ts')).warmUp()
      return 0
    case 'facts':
      await (await import('./cli/reports.ts')).printSlowFacts()
      return 0
    case 'software':
    case 'software-hash':
      await (await import('./cli/reports.ts')).printSoftware(command === 'software' ? 'all' : 'hash')
      return 0
    case 'patches':
    case 'patches-now':
      await (await import('./cli/reports.ts')).printPatches(command === 'patches-now' ? 'now' : 'when old')
      return 0
    case 'mount':
      ;(await import('./cli/serve-mount.ts')).serveMount(folder, values.file ?? '')
      return 0
    case 'desktop':
      await (await import('./cli/desktop.ts')).showDesktop()
      return 0
    case 'dialog':
      return (await import('./cli/dialog.ts')).showDialog()
    case 'install-order':
      return (await import('./cli/install-order.ts')).carryOut(values.order ?? '')
    case 'snapshot':
      await (await import('./cli/session-changes.ts')).writeSnapshotFile(values.file ?? '')
      return 0
    case 'session-changes':
      await (await import('./cli/session-changes.ts')).printSessionChanges(values.file ?? '')
      return 0
    case 'install':
      await (
        await import('./cli/service.ts')
      ).install({
        folder,
        program,
        programFolder: values['program-folder'],
        packageName: values.package,
        enrolment: {
          server: values.server,
          token: values.token ?? givenToken,
          caFile: values.ca,
          proxy: values.proxy,
        },
      })
      return 0
    case 'lay-out':
      await (await import('./cli/service.ts')).layOut(values['program-folder'])
      return 0
    case 'restart-agents':
      await (await import('./cli/service.ts')).restartAgentsOf(values['program-folder'])
      return 0
    case 'end-agents':
      await (await import('./cli/service.ts')).endAgentsOf(values['program-folder'])
      return 0
    case 'uninstall':
      await (await import('./cli/service.ts')).uninstall(folder, values['by-package'] === true)
      return 0
    default:
      process.stdout.write(USAGE)
      return 2
  }
}

async function runAgent(folder: string, program: string[]): Promise<number> {
  const { startWithLowMemory } = await import('./cli/low-memory-start.ts')
  startWithLowMemory(folder, program)
  const end = await (await import('./cli/run.ts')).run({ folder, program })
  if (end === 'updated') {
    const { restartProcess } = await import('./update/restart-process.ts')
    restartProcess([resolve(process.argv[1] ?? ''), 'run', '--data', folder])
  }
  const { endDespiteHangingCalls } = await import('./os/disk-calls.ts')
  endDespiteHangingCalls(0)
  return 0
}
