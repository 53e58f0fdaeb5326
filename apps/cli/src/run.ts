import { searchAgents } from '@muster/contract/api/agent-search'
import { getAgent } from '@muster/contract/api/agents'
import { type JobPlan, planFleetJob, startFleetJob } from '@muster/contract/api/fleet-jobs'
import {
  type AgentHistory,
  type AgentHistoryResult,
  cancelHistory,
  getHistory,
  getHistoryOutput,
  sendCommand,
} from '@muster/contract/api/runs'
import type { Input } from '@muster/contract/endpoint'
import { isFinal } from '@muster/rules/agents/history-state'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, describeError } from './errors.ts'
import { followJob } from './jobs.ts'
import { type Context, note, printJson, widthOf } from './output.ts'
import { ask } from './prompt.ts'
import { formatTable, makeSafe } from './text.ts'

export interface RunOptions {
  search: string
  shell: 'sh' | 'bash' | 'powershell' | 'cmd'
  command: string
  timeoutSeconds: number | undefined
  /** Runs on offline machines when they reconnect. */
  keep: boolean
  /** Starts the job of several machines without a question. */
  yes: boolean
}

const KEEP_HOURS = 48
const LISTED_MACHINES = 20
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 1000
const MAX_EXIT_CODE = 255

/** Returns the exit code: of the command on one machine, or 1 if it failed on any of several. */
export async function run(context: Context, options: RunOptions, stop: AbortController): Promise<number> {
  const { ids } = await context.client.call(searchAgents, { body: { search: options.search } })
  const [agentId, ...others] = ids
  if (agentId === undefined) throw new CliError(`No machine matches "${options.search}".`)
  return others.length === 0 ? runOnOne(context, options, agentId) : runAsJob(context, options, stop)
}

async function runOnOne(context: Context, options: RunOptions, agent_id: string): Promise<number> {
  const { client, json } = context
  const { hostname, connected } = await client.call(getAgent, { params: { agent_id } })
  if (!connected && !options.keep)
    throw new CliError(`${hostname} is offline. Add --keep to run the command when it reconnects.`)
  const { shell, command: cmd, timeoutSeconds: timeout } = options
  const more = options.keep ? { expires_in: KEEP_HOURS * 3600 } : {}
  const body = { shell, cmd, wait: false, ...(timeout === undefined ? {} : { timeout }), ...more }
  // Without the id of the run, Ctrl+C could not cancel it.
  const { id } = await client.callToEnd(sendCommand, { params: { agent_id }, body })
  if (!connected) note(`${hostname} is offline. Waiting until it reconnects; Ctrl+C cancels.`)
  const history = await followRun(context, id).catch(async (error: unknown) => {
    if (context.signal.aborted) await cancelRun(context, id, hostname)
    throw error
  })
  if (json) printJson(await client.call(getHistory, { params: { id } }))
  return describeEnd(history, hostname)
}

/** Prints the output as it arrives, unless the result is printed as JSON. */
async function followRun({ client, json, signal }: Context, id: number): Promise<AgentHistory> {
  let after = 0
  for (let pauseMs = FIRST_PAUSE_MS; ;) {
    const { history, chunks } = await client.callPatiently(getHistoryOutput, {
      params: { id },
      query: { after },
    })
    for (const { seq, stream, text } of chunks) {
      after = Math.max(after, seq)
      if (!json) writeOutput(stream === 'stdout' ? process.stdout : process.stderr, text)
    }
    if (chunks.length > 0) pauseMs = FIRST_PAUSE_MS
    else if (isFinal(history.state)) return history
    else pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)
    await sleep(pauseMs, undefined, { signal })
  }
}

/** A program that reads the output gets its bytes; a terminal gets no escape sequences. */
function writeOutput(stream: NodeJS.WriteStream, text: string): void {
  stream.write(stream.isTTY ? makeSafe(text) : text)
}

async function cancelRun({ client }: Context, id: number, hostname: string): Promise<void> {
  try {
    await client.callToEnd(cancelHistory, { params: { id } })
    note(`Cancelled on ${hostname}.`)
  } catch (error) {
    note(`muster: Failed to cancel the command on ${hostname}. ${describeError(error)}`)
  }
}

function describeEnd(history: AgentHistory | AgentHistoryResult, hostname: string): number {
  const { state, reason, retcode, output_cut_bytes: cutBytes } = history
  if (cutBytes > 0) note(`muster: ${cutBytes} bytes of the output were left out.`)
  if (state !== 'done') note(`muster: ${hostname}: ${reason ?? `The command is ${state}.`}`)
  if (state !== 'done' || retcode === null) return 1
  // Those of Windows have 32 bits, and a shell sees the last 8 of them.
  return retcode >= 0 && retcode <= MAX_EXIT_CODE ? retcode : 1
}

async function runAsJob(context: Context, options: RunOptions, stop: AbortController): Promise<number> {
  const { client } = context
  const { search, shell, command: cmd, timeoutSeconds: timeout } = options
  const draft: Input<typeof planFleetJob>['body'] = {
    target: { by: 'search', search },
    action: { type: 'command', shell, cmd, ...(timeout === undefined ? {} : { timeout }) },
    schedule: { offline: options.keep ? 'keep' : 'skip', expires_hours: KEEP_HOURS },
  }
  const plan = await client.call(planFleetJob, { query: { limit: LISTED_MACHINES }, body: draft })
  note(describePlan(plan))
  if (plan.planned === 0) throw new CliError('The plan has no machines.')
  if (!options.yes && !(await isConfirmed(plan, stop))) throw new CliError('Nothing was started.')
  const job = await client.callToEnd(startFleetJob, { body: { draft, hash: plan.hash } })
  return followJob(context, job)
}

function describePlan(plan: JobPlan): string {
  const machines = plan.machines.slice(0, LISTED_MACHINES)
  const rest = plan.matched - machines.length
  const waves = plan.waves.length === 1 ? '' : ` in ${plan.waves.length} waves`
  return [
    `${plan.action_text}`,
    `${plan.planned} of ${plan.matched} machines${waves}`,
    ...plan.skipped.map(({ count, reason }) => `${count} skipped: ${reason}`),
    formatTable(
      [
        ['NAME', ({ hostname }) => hostname],
        ['CLIENT', ({ client_name }) => client_name],
        ['SITE', ({ site_name }) => site_name],
        ['SKIPPED', ({ skip, text }) => (skip === null ? '' : text)],
      ],
      machines,
      widthOf(process.stderr),
    ),
    ...(rest > 0 ? [`... and ${rest} more`] : []),
    ...(plan.needs_approval ? ['Another person must approve the job in the console before it runs.'] : []),
  ].join('\n')
}

async function isConfirmed({ planned }: JobPlan, stop: AbortController): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CliError('Add --yes to start the job without a question.', 2)
  const answer = await ask(
    `Start this job on ${planned} ${planned === 1 ? 'machine' : 'machines'}? [y/N] `,
    stop,
  )
  return /^y(es)?$/i.test(answer.trim())
}
