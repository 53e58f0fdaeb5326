import { type Guest, type GuestHost, MAX_GUESTS } from '@muster/contract/agent/facts'
import { z } from 'zod'
import { MeasureError } from '../errors.ts'
import { describeError } from '../log/log.ts'
import { findProgram } from '../run/find-program.ts'
import { firstLine, runTool } from './run-tool.ts'

const LIMIT_MS = 15_000

interface GuestTool {
  runtime: GuestHost['runtime']
  program: string
  args: string[]
  /** Undefined if another tool lists them. Throws MeasureError. */
  parse: (output: string) => Guest[] | undefined
}

/** Docker before 23 does not know `--format json`. */
const TOOLS: readonly GuestTool[] = [
  {
    runtime: 'docker',
    program: 'docker',
    args: ['ps', '--all', '--no-trunc', '--format', '{{json .}}'],
    parse: parseDocker,
  },
  { runtime: 'podman', program: 'podman', args: ['ps', '--all', '--format', 'json'], parse: parsePodman },
  {
    runtime: 'libvirt',
    program: 'virsh',
    args: ['--readonly', '--connect', 'qemu:///system', 'domstats', '--state'],
    parse: parseVirsh,
  },
]

/** Containers and virtual machines of each installed runtime. One that fails says why. */
export async function readGuests(): Promise<GuestHost[]> {
  const installed = TOOLS.filter(({ program }) => findProgram(program) !== undefined)
  const found = await Promise.all(installed.map(readTool))
  return found.filter((host) => host !== undefined)
}

async function readTool({ runtime, program, args, parse }: GuestTool): Promise<GuestHost | undefined> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS + 1000)
    const { code, stdout, stderr, timedOut } = await runTool(program, args, { signal, timeoutMs: LIMIT_MS })
    if (timedOut) throw new MeasureError(`${program} did not respond within ${LIMIT_MS / 1000} seconds.`)
    if (code !== 0)
      throw new MeasureError(
        firstLine(stderr, stdout) || `${program} exited with ${code} and printed nothing.`,
      )
    const guests = parse(stdout)?.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    if (guests === undefined) return undefined
    const listed = guests.slice(0, MAX_GUESTS)
    return { runtime, problem: null, guests: listed, left_out: guests.length - listed.length }
  } catch (cause) {
    return { runtime, problem: describeError(cause), guests: [], left_out: 0 }
  }
}

const CONTAINER_STATES: Partial<Record<string, Guest['state']>> = {
  running: 'running',
  paused: 'paused',
  restarting: 'restarting',
  created: 'stopped',
  configured: 'stopped',
  initialized: 'stopped',
  exited: 'stopped',
  stopped: 'stopped',
  dead: 'failed',
}

const DockerContainer = z.object({
  Names: z.union([z.string(), z.array(z.string())]),
  Image: z.string(),
  State: z.string(),
  Status: z.string(),
})

/** One JSON object in each line. Podman also comes as a program named docker; its names are a list. */
export function parseDocker(output: string): Guest[] | undefined {
  const containers = output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parseJson('docker', line, DockerContainer))
  if (containers.some(({ Names }) => Array.isArray(Names))) return undefined
  return containers.map(({ Names, Image, State, Status }) => ({
    name: String(Names),
    image: Image,
    state: CONTAINER_STATES[State] ?? 'unknown',
    // Its times change by the minute.
    detail: describeStatus(Status),
  }))
}

/** `Up 2 days (unhealthy)` and `Exited (137) 3 hours ago` without their times. */
function describeStatus(status: string): string {
  const [, code] = /^Exited \((\d+)\)/.exec(status) ?? []
  if (code !== undefined) return code === '0' ? '' : `exit code ${code}`
  return /\((healthy|unhealthy|health: starting)\)$/.exec(status)?.[1] ?? ''
}

const PodmanContainers = z.array(
  z.object({
    Names: z.array(z.string()),
    Image: z.string(),
    State: z.string(),
    ExitCode: z.number().optional(),
  }),
)

/** Containers of the agent's own user, which is root for a service. */
export function parsePodman(output: string): Guest[] {
  return parseJson('podman', output, PodmanContainers).map(({ Names, Image, State, ExitCode = 0 }) => {
    const state = CONTAINER_STATES[State.toLowerCase()] ?? 'unknown'
    const hasFailed = state === 'stopped' && ExitCode !== 0
    return { name: Names[0] ?? '', image: Image, state, detail: hasFailed ? `exit code ${ExitCode}` : '' }
  })
}

/** Values of virDomainState. */
const DOMAIN_STATES: Partial<Record<string, [state: Guest['state'], detail: string]>> = {
  1: ['running', ''],
  2: ['running', 'blocked'],
  3: ['paused', ''],
  4: ['running', 'shutting down'],
  5: ['stopped', ''],
  6: ['failed', 'crashed'],
  7: ['paused', 'suspended by its system'],
}

/** Blocks of `Domain: 'web'` and `  state.state=1`. */
export function parseVirsh(output: string): Guest[] {
  const blocks = output.split(/^Domain: /m).slice(1)
  if (blocks.length === 0 && output.trim() !== '')
    throw new MeasureError(`virsh printed: ${firstLine(output)}`)
  return blocks.map((block) => {
    const name = /^'(.*)'$/m.exec(block)?.[1] ?? ''
    const [state, detail] = DOMAIN_STATES[/^ *state\.state=(\d+)/m.exec(block)?.[1] ?? ''] ?? ['unknown', '']
    return { name, image: '', state, detail }
  })
}

function parseJson<T>(program: string, text: string, schema: z.ZodType<T>): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new MeasureError(`${program} printed no JSON.`, { cause })
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new MeasureError(`${program} printed another list than expected.`)
  return parsed.data
}
