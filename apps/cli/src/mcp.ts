import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { listAlerts } from '@muster/contract/api/alerts'
import { type AgentRow, getAgent } from '@muster/contract/api/agents'
import {
  getFleetJob,
  getFleetJobOutput,
  listFleetJobs,
  planFleetJob,
  startFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { listScripts } from '@muster/contract/api/scripts'
import { getMe } from '@muster/contract/api/users'
import { JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import { toPresence } from '@muster/rules/agents/agent-status'
import { z } from 'zod'
import { findMachines, requireMachine } from './agents.ts'
import type { Client } from './client.ts'
import { describeError } from './errors.ts'

const READS = { readOnlyHint: true, openWorldHint: false } as const
const DEFAULT_ROWS = 50
const MAX_ROWS = 500
/** Plans that can be started; older ones have to be made again. */
const KEPT_PLANS = 50
/** Characters of a response. */
const MAX_TEXT = 400_000

const Limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS)
const JobId = z.int().min(1).describe('id of the job')

/**
 * Serves the Model Context Protocol on standard input and output until the input ends. Jobs are offered only if the key
 * may change something, and only those that were planned in this session can be started.
 */
export async function serveMcp(client: Client, signal: AbortSignal): Promise<void> {
  const { permissions } = await client.call(getMe, {})
  const server = new McpServer({ name: 'muster', title: 'Muster', version: '0.1.0' })
  offerReads(server, client)
  if (permissions.some((permission) => !/^can_(list|view)_/.test(permission))) offerJobs(server, client)
  const ended = new Promise((resolve) => {
    server.server.onclose = () => resolve(undefined)
    signal.addEventListener('abort', resolve)
    process.stdin.once('end', resolve)
  })
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
}

function offerReads(server: McpServer, client: Client): void {
  server.registerTool(
    'find_machines',
    {
      description:
        'Find machines by a search, such as "is:offline", "disk_free<10% client:Acme" or "software:firefox<130". Empty = all.',
      inputSchema: { search: z.string().max(500).default(''), limit: Limit },
      annotations: READS,
    },
    ({ search, limit }) =>
      answer(async () => {
        const rows = await findMachines(client, search)
        return { total: rows.length, machines: rows.slice(0, limit).map(summarize) }
      }),
  )
  server.registerTool(
    'show_machine',
    {
      description: 'Show everything that is known about a machine.',
      inputSchema: { machine: z.string().min(1).max(255).describe('name or id') },
      annotations: READS,
    },
    ({ machine }) =>
      answer(async () => {
        const { agent_id } = await requireMachine(client, machine)
        return client.call(getAgent, { params: { agent_id } })
      }),
  )
  server.registerTool(
    'list_alerts',
    {
      description: 'List open and acknowledged alerts, the most severe and newest first.',
      inputSchema: { limit: Limit },
      annotations: READS,
    },
    ({ limit }) => answer(() => client.call(listAlerts, { body: { page: 1, page_size: limit } })),
  )
  server.registerTool('list_scripts', { description: 'List the script library.', annotations: READS }, () =>
    answer(async () =>
      (await client.call(listScripts, { query: {} })).map(
        ({ id, name, description, shell, category, supported_platforms }) => ({
          id,
          name,
          description,
          shell,
          category,
          supported_platforms,
        }),
      ),
    ),
  )
  server.registerTool(
    'list_jobs',
    { description: 'List jobs, newest first.', inputSchema: { limit: Limit }, annotations: READS },
    ({ limit }) => answer(() => client.callPage(listFleetJobs, { query: { page: 1, page_size: limit } })),
  )
  server.registerTool(
    'show_job',
    {
      description: 'Show a job: its state, counts, and machines grouped by equal output.',
      inputSchema: { id: JobId },
      annotations: READS,
    },
    ({ id }) => answer(() => client.call(getFleetJob, { params: { id } })),
  )
  server.registerTool(
    'show_job_output',
    {
      description: 'Show the whole output of one group of machines of a job.',
      inputSchema: { id: JobId, group: z.string().min(1).max(100).describe('as in show_job') },
      annotations: READS,
    },
    ({ id, group }) => answer(() => client.call(getFleetJobOutput, { params: { id, group } })),
  )
}

function offerJobs(server: McpServer, client: Client): void {
  const plans = new Map<string, JobDraft>()
  server.registerTool(
    'plan_job',
    {
      description:
        'Plan an action on machines and return what each of them would do. Nothing runs: show the plan to the user, then call start_job with its hash.',
      inputSchema: JobDraft.shape,
      annotations: READS,
    },
    (draft) =>
      answer(async () => {
        const plan = await client.call(planFleetJob, { query: { limit: DEFAULT_ROWS }, body: draft })
        plans.delete(plan.hash)
        plans.set(plan.hash, draft)
        for (const hash of plans.keys()) if (plans.size > KEPT_PLANS) plans.delete(hash)
        return plan
      }),
  )
  server.registerTool(
    'start_job',
    {
      description:
        'Start a job exactly as it was planned by plan_job. Refused if the plan has changed meanwhile.',
      inputSchema: { hash: z.string().min(1).max(100).describe('hash of the plan') },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    },
    ({ hash }) =>
      answer(async () => {
        const draft = plans.get(hash)
        if (draft === undefined) throw new Error('There is no plan with this hash. Call plan_job first.')
        // Each plan runs once: a repeated call must not run it again.
        plans.delete(hash)
        return client.callToEnd(startFleetJob, { body: { draft, hash } })
      }),
  )
}

async function answer(read: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    const text = JSON.stringify(await read())
    if (text.length > MAX_TEXT)
      throw new Error(`The response has ${text.length} characters, more than ${MAX_TEXT}. Ask for less.`)
    return { content: [{ type: 'text', text }] }
  } catch (error) {
    return { content: [{ type: 'text', text: describeError(error) }], isError: true }
  }
}

function summarize(row: AgentRow) {
  const { agent_id, hostname, client_name, site_name, plat, operating_system, status, connected } = row
  const { checks, last_seen, tags, needs_reboot, maintenance_mode } = row
  return {
    agent_id,
    hostname,
    client: client_name,
    site: site_name,
    status: toPresence(status, connected),
    system: operating_system || plat,
    checks,
    last_seen,
    tags,
    needs_reboot,
    maintenance_mode,
  }
}
