import {
  findSoftware,
  getSoftware,
  installSoftware,
  listChocolateyNames,
  listSoftwareMachines,
  refreshSoftware,
  type Software,
  type SoftwareTitle,
  uninstallSoftware,
} from '@muster/contract/api/software'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { describePackageChange, packageNameOf } from '@muster/rules/agents/package-change'
import type { Parsed } from '@muster/contract/endpoint'
import { quietUninstall } from '@muster/rules/agents/uninstall-command'
import type { AgentWithSite } from '../agents/queries.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { startRun } from '../runs/create-run.ts'
import { findRuns, viewHistory } from '../runs/queries.ts'
import { commandOrder } from '../runs/run-requests.ts'
import { startInstall } from '../runs/start-install.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { requestAgent } from '../agents/request-agent.ts'
import {
  countMachines,
  countUpgradable,
  countVersions,
  findChocolateyNames,
  findInventory,
  findMachinesWith,
  findSoftwareOf,
  findTitles,
  hasInventory,
  readStates,
  type TitleFilter,
} from './queries.ts'

export function softwareRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const refreshing = new SoftwareRefresh(ctx, fleet)
  route(api, findSoftware, async ({ query, caller }) => {
    const { page, page_size } = query
    return { page, page_size, ...(await readTitles(ctx.db, caller, query)) }
  })
  route(api, listChocolateyNames, ({ caller }) => findChocolateyNames(ctx.db, caller))
  route(api, listSoftwareMachines, async ({ params, caller }) =>
    (await findMachinesWith(ctx.db, caller, params.title)).map(({ source, package_id, ...row }) => ({
      ...row,
      package_name: packageNameOf({ source, package_id, name: row.name }),
    })),
  )
  route(api, getSoftware, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return readSoftware(ctx.db, agent.id)
  })
  route(api, refreshSoftware, async ({ params, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    await refreshing.refresh(caller, agent.agent_id)
    return readSoftware(ctx.db, agent.id)
  })
  route(api, installSoftware, async ({ params, body, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const names = [body.name, ...body.alternatives]
    return startInstall(ctx, fleet, {
      agent,
      caller,
      label: { command: describePackageChange(body.do, names), shell: '', args: [] },
      work: { name: `${body.do}-package`, input: { names } },
      timeoutSeconds: body.timeout,
    })
  })
  route(api, uninstallSoftware, async ({ params, body, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    return uninstall(ctx, fleet, { agent, caller, body })
  })
}

/** Runs the uninstall command of a program. */
async function uninstall(
  ctx: Context,
  fleet: Fleet,
  {
    agent,
    caller,
    body,
  }: { agent: AgentWithSite; caller: Caller; body: Parsed<typeof uninstallSoftware>['body'] },
) {
  const programs = await findSoftwareOf(ctx.db, agent.id)
  const reported = programs.find((one) => one.name === body.name && one.uninstall !== null)?.uninstall ?? null
  if (reported === null)
    throw new AppError('conflict', `${agent.hostname} reports no command that removes "${body.name}".`)
  const isReported = body.command === reported || body.command === quietUninstall(reported)
  if (!isReported && !mayDo(caller, 'can_send_cmd'))
    throw new AppError(
      'not_allowed',
      'Your role does not allow other commands than the reported one (can_send_cmd).',
    )
  const order = commandOrder(agent, caller, {
    shell: agent.plat === 'windows' ? 'cmd' : 'sh',
    cmd: body.command,
    timeout: body.timeout,
    run_as_user: body.run_as_user,
    expires_in: UNINSTALL_WAITS_SECONDS,
    wait: false,
  })
  const [run] = await findRuns(ctx.db, [await startRun(ctx, fleet, order, undefined)])
  if (run === undefined) throw new Error('the new run was not found')
  return viewHistory(run)
}

/** How long it waits for a machine that has just lost its link. */
const UNINSTALL_WAITS_SECONDS = 600

async function readSoftware(db: Db, agent: number): Promise<Software> {
  const inventory = await findInventory(db, agent)
  const rows = inventory === undefined ? [] : await findSoftwareOf(db, agent)
  return {
    software: rows.map(({ package_id, states, ...row }) => ({
      ...row,
      states: readStates(states),
      size: row.size === null ? null : Number(row.size),
      package_name: packageNameOf({ ...row, package_id }),
    })),
    looked_at: inventory?.looked_at ?? null,
    changed_at: inventory?.changed_at ?? null,
    left_out: inventory?.left_out ?? 0,
    upgrades_problem: inventory?.upgrades_problem ?? null,
  }
}

/** A page of the packages within the scope. */
async function readTitles(
  db: Db,
  caller: Caller,
  filter: TitleFilter,
): Promise<{ total: number; results: SoftwareTitle[] }> {
  const { total, rows } = await findTitles(db, caller, filter)
  if (rows.length === 0) return { total, results: [] }
  const titles = rows.map(({ title }) => title)
  const versions = Map.groupBy(await countVersions(db, caller, titles), ({ title }) => title)
  const machines = new Map(
    (await countMachines(db, caller, titles)).map((row) => [row.title, Number(row.machines)]),
  )
  const upgradable = new Map(
    (await countUpgradable(db, caller, titles)).map((row) => [row.title, Number(row.machines)]),
  )
  return {
    total,
    results: rows.map(({ total: _total, ...row }) => ({
      ...row,
      machines: machines.get(row.title) ?? 0,
      upgradable: upgradable.get(row.title) ?? 0,
      versions: (versions.get(row.title) ?? [])
        .map(({ version, machines: count }) => ({ version, machines: Number(count) }))
        .toSorted((a, b) => b.machines - a.machines || (a.version < b.version ? 1 : -1)),
    })),
  }
}

const STORED_WITHIN_MS = 20_000

/** Requests the software list of a machine and waits until it is stored. */
class SoftwareRefresh {
  #ctx: Context
  #fleet: Fleet
  #waiting = new Map<string, Set<() => void>>()

  constructor(ctx: Context, fleet: Fleet) {
    this.#ctx = ctx
    this.#fleet = fleet
    ctx.onEvent(({ type, ids }) => {
      if (type !== 'software.scanned') return
      for (const id of ids) for (const wake of this.#waiting.get(String(id)) ?? []) wake()
    })
  }

  async refresh(caller: Caller, agentId: string): Promise<void> {
    let scanned = Promise.withResolvers<void>()
    const wake = () => scanned.resolve()
    const waiting = this.#waiting.get(agentId) ?? new Set()
    this.#waiting.set(agentId, waiting.add(wake))
    try {
      const { hash } = await requestAgent(
        this.#ctx,
        { fleet: this.#fleet, caller, agentId },
        {
          name: 'report-software',
          input: {},
          action: 'view',
          object_type: 'software',
          describe: () => 'Refreshed the list of software',
        },
      )
      const late = AbortSignal.timeout(STORED_WITHIN_MS)
      late.addEventListener('abort', wake, { once: true })
      // An older list in transit may be stored first.
      do {
        await scanned.promise
        if (late.aborted)
          throw new AppError('unavailable', 'The list is still on its way. It will appear when it arrives.')
        scanned = Promise.withResolvers()
      } while (!(await hasInventory(this.#ctx.db, agentId, hash)))
    } finally {
      waiting.delete(wake)
      if (waiting.size === 0) this.#waiting.delete(agentId)
    }
  }
}
