import type { AgentRow } from '@muster/contract/api/agents'
import { AppError } from '@muster/contract/errors'
import type { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import type { Permission } from '@muster/contract/permissions'
import { checkFieldValue } from '@muster/rules/agents/custom-fields'
import { platformName, scriptFitsPlatform } from '@muster/rules/agents/available-actions'
import { SERVER_MACHINE_REASON } from '@muster/rules/agents/server-machine'
import { platformOf } from '@muster/rules/agents/package-files'
import { describePackageChange, type PackageChange } from '@muster/rules/agents/package-change'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { changeAgent } from '../agents/change-agent.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { runNow } from '../checks/routes.ts'
import { requireSite } from '../clients/require-node.ts'
import { findFields, findValues, readValue, viewField } from '../custom-fields/queries.ts'
import { readPatches } from '../patches/queries.ts'
import { scanMachine } from '../patches/routes.ts'
import {
  newToken,
  orderPackageFile,
  requirePackageFile,
} from '../software/package-files/write-package-file.ts'
import { planPower } from '../power/plan-power.ts'
import { changePower, wakeMachine } from '../power/power-actions.ts'
import { refuseWithoutCode } from '../remote/registry/routes.ts'
import type { RunRequest } from '../runs/create-run.ts'
import { commandOrder, openScriptOrders } from '../runs/run-requests.ts'
import { OUTPUT_CAP_BYTES } from '../runs/store-run-reports.ts'
import { completeEnvironment } from '../scripts/complete-environment.ts'
import { refuseBadField } from '../tasks/write-task.ts'
import { changeTags } from '../tags/set-tags.ts'
import { orderUpdates } from '../updates/order-updates.ts'
import { describeFileAction, refuseFile, writeJobFile } from './file-action.ts'
import { type BeforeJob, findChanged, type Keep } from './kept-values.ts'
import { decideInJob, describeDecision, findPatchable, readDecisions } from './patch-action.ts'
import { describePush, orderPush } from './push-action.ts'
import { actOnRegistry, describeRegistryAction } from './registry-action.ts'
import { restoreMachine } from './restore-machine.ts'
import { actOnService, describeServiceAction } from './service-action.ts'
import { describeTags, readTagsBefore } from './tag-action.ts'

/** Actions whose result is that of a run. The others are carried out by the server. */
const RUN_ACTIONS = ['command', 'script', 'install_patches', 'software', 'package_file', 'push_file'] as const
export type RunAction = Extract<JobAction, { type: (typeof RUN_ACTIONS)[number] }>
export type DirectAction = Exclude<JobAction, RunAction>

export function isRunAction(action: JobAction): action is RunAction {
  return (RUN_ACTIONS as readonly string[]).includes(action.type)
}

/** The permission that the endpoint for a single machine requires. */
const PERMISSIONS: Record<JobAction['type'], Permission> = {
  command: 'can_send_cmd',
  script: 'can_run_scripts',
  power: 'can_reboot_agents',
  service: 'can_manage_winsvcs',
  maintenance: 'can_edit_agent',
  run_checks: 'can_run_checks',
  refresh: 'can_list_agents',
  scan_patches: 'can_manage_winupdates',
  install_patches: 'can_manage_winupdates',
  software: 'can_manage_software',
  package_file: 'can_manage_software',
  update_agent: 'can_update_agents',
  move: 'can_edit_agent',
  custom_field: 'can_edit_agent',
  tags: 'can_edit_agent',
  approve_patches: 'can_manage_winupdates',
  registry: 'can_use_registry',
  file: 'can_manage_files',
  push_file: 'can_manage_files',
  undo: 'can_edit_agent',
}

/** Undo requires the permission of what it undoes. */
export async function mayAct(db: Db, caller: Caller, action: JobAction): Promise<boolean> {
  if (action.type === 'power' && action.action === 'wake') return mayDo(caller, 'can_send_wol')
  // The file is one of the list that this permission shows.
  if (action.type === 'push_file' && !mayDo(caller, 'can_list_software')) return false
  if (action.type !== 'undo') return mayDo(caller, PERMISSIONS[action.type])
  const undone = await findAction(db, action.job)
  return undone === undefined || mayDo(caller, PERMISSIONS[undone])
}

async function findAction(db: Db, jobId: number): Promise<JobAction['type'] | undefined> {
  const job = await db.selectFrom('fleet_jobs').select('action').where('id', '=', jobId).executeTakeFirst()
  // Written by create-job.ts from the action.
  return job?.action as JobAction['type'] | undefined
}

export async function requireMayAct(db: Db, caller: Caller, action: JobAction): Promise<void> {
  if (await mayAct(db, caller, action)) return
  throw new AppError('not_allowed', 'Your role does not allow this action on machines.')
}

/** Actions that keep what was there before, so that undo can restore it. */
const KEEPING: ReadonlySet<JobAction['type']> = new Set([
  'maintenance',
  'move',
  'custom_field',
  'tags',
  'approve_patches',
  'service',
  'registry',
  'file',
  'push_file',
])

export const hasInverse = ({ type }: JobAction): boolean => KEEPING.has(type)

/** Whether it runs on machines that are offline. Other actions wait until these return. */
export const isForOffline = (action: JobAction): boolean =>
  action.type === 'power' && action.action === 'wake'

/** As a row of the list, or of the database. */
type Machine = Pick<AgentRow, 'agent_id' | 'plat' | 'hostname'> & {
  server_machine: boolean | 0 | 1
  connected: boolean | 0 | 1
}

/** An action as words, and why a machine is not suitable. */
export interface DescribedAction {
  text: string
  unsuitable(machine: Machine): string | undefined
  /** The values that undo restores, of these machines. */
  readBefore?: (db: Db, agentIds: string[]) => Promise<Map<string, BeforeJob>>
}

/** Throws if the action names something that does not exist. */
export async function describeAction(
  ctx: Context,
  caller: Caller,
  action: JobAction,
): Promise<DescribedAction> {
  const described = await describe(ctx, caller, action)
  return {
    ...described,
    unsuitable: (machine) =>
      Boolean(machine.server_machine) && !caller.isSuperuser
        ? SERVER_MACHINE_REASON
        : described.unsuitable(machine),
  }
}

async function describe(ctx: Context, caller: Caller, action: JobAction): Promise<DescribedAction> {
  const suitsAll = () => undefined
  switch (action.type) {
    case 'command': {
      const { shell } = action
      const [line = ''] = action.cmd.trim().split('\n')
      return {
        text: `Run the command "${line.slice(0, 100)}"`,
        unsuitable: ({ plat }) => {
          const isWindowsOnly = shell === 'cmd'
          const isUnixOnly = shell === 'bash' || shell === 'sh'
          return (isWindowsOnly && plat !== 'windows') || (isUnixOnly && plat === 'windows')
            ? `${platformName(plat)} has no ${shell}.`
            : undefined
        },
      }
    }
    case 'script': {
      const script = requireRow(
        await ctx.db
          .selectFrom('scripts')
          .select(['name', 'supported_platforms', 'env_vars', 'parameters'])
          .where('id', '=', action.script)
          .executeTakeFirst(),
        'script',
      )
      if (action.save_to_field !== undefined) {
        const task = { custom_field: action.save_to_field, collector_all_output: false, actions: [] }
        await refuseBadField(ctx.db, caller, { task, before: undefined, path: 'action.' })
      }
      // Written by the scripts feature from the contract's list.
      const platforms = JSON.parse(script.supported_platforms) as string[]
      completeEnvironment(script, action.env_vars ?? (JSON.parse(script.env_vars) as string[]), 'action.')
      return {
        text: `Run the script "${script.name}"`,
        unsuitable: ({ plat }) =>
          scriptFitsPlatform(platforms, plat)
            ? undefined
            : `The script does not support ${platformName(plat)}.`,
      }
    }
    case 'power':
      return {
        text: POWER[action.action],
        unsuitable: ({ connected }) =>
          action.action === 'wake' && Boolean(connected)
            ? 'The machine is connected, so it is already awake.'
            : undefined,
      }
    case 'service':
      return {
        text: describeServiceAction(action),
        unsuitable: ({ plat }) =>
          action.start_type === 'autodelay' && plat !== 'windows'
            ? 'Only Windows starts services with a delay.'
            : undefined,
      }
    case 'maintenance':
      return {
        text: `Switch maintenance mode ${action.on ? 'on' : 'off'}`,
        unsuitable: suitsAll,
        readBefore: async (db, agentIds) =>
          new Map(
            (await readAgents(db, agentIds)).map((row) => [
              row.agent_id,
              { maintenance: row.maintenance_mode === 1 },
            ]),
          ),
      }
    case 'run_checks':
      return { text: 'Run all checks', unsuitable: suitsAll }
    case 'refresh':
      return { text: 'Refresh the facts', unsuitable: suitsAll }
    case 'scan_patches':
      return { text: 'Scan for patches', unsuitable: suitsAll }
    case 'install_patches':
      return { text: 'Install the approved patches', unsuitable: suitsAll }
    case 'software':
      return { text: describePackageChange(action.do, action.names), unsuitable: suitsAll }
    case 'package_file': {
      const { name, format } = await requirePackageFile(ctx.db, action.file)
      const wanted = platformOf(format)
      return {
        text: `Install the file "${name}"`,
        unsuitable: ({ plat }) =>
          plat === wanted ? undefined : `${platformName(plat)} cannot install ${format.toUpperCase()} files.`,
      }
    }
    case 'update_agent':
      return { text: 'Update the agent', unsuitable: suitsAll }
    case 'move': {
      const site = await requireSite(ctx.db, action.site, caller)
      return {
        text: `Move to the site "${site.name}"`,
        unsuitable: suitsAll,
        readBefore: async (db, agentIds) =>
          new Map((await readAgents(db, agentIds)).map((row) => [row.agent_id, { site: row.site_id }])),
      }
    }
    case 'custom_field': {
      const field = requireRow(
        (await findFields(ctx.db, 'agent')).find(({ id }) => id === action.field),
        'custom field',
      )
      const wrong = checkFieldValue(viewField(field), action.value)
      if (wrong !== null) throw new AppError('invalid', wrong, { fields: { 'action.value': [wrong] } })
      return {
        text: `Set the custom field "${field.name}"`,
        unsuitable: suitsAll,
        readBefore: async (db, agentIds) => {
          const values = await findValues(db, 'agent', agentIds)
          const old = new Map(
            values
              .filter(({ field_id }) => field_id === action.field)
              .map((row) => [String(row.owner), readValue(row.value)]),
          )
          const empty = field.type === 'multiple' ? [] : field.type === 'checkbox' ? false : ''
          return new Map(
            agentIds.map((id) => [id, { field: action.field, value: old.get(id) ?? empty }] as const),
          )
        },
      }
    }
    case 'tags':
      return {
        text: describeTags(action),
        unsuitable: suitsAll,
        readBefore: (db, agentIds) => readTagsBefore(db, agentIds, action),
      }
    case 'approve_patches': {
      const fitting = await findPatchable(ctx.db, action)
      return {
        text: describeDecision(action),
        unsuitable: ({ agent_id }) =>
          fitting.has(agent_id) ? undefined : 'It can install none of these patches.',
        readBefore: (db, agentIds) => readDecisions(db, agentIds, action),
      }
    }
    case 'registry':
      refuseWithoutCode(ctx, caller)
      return {
        text: describeRegistryAction(action),
        unsuitable: ({ plat }) => (plat === 'windows' ? undefined : 'Only Windows has a registry.'),
      }
    case 'file':
      return { text: describeFileAction(action), unsuitable: ({ plat }) => refuseFile(action, plat) }
    case 'push_file':
      return describePush(ctx.db, action)
    case 'undo': {
      const job = await findAction(ctx.db, action.job)
      if (job === 'registry') refuseWithoutCode(ctx, caller)
      const changed = await findChanged(ctx.db, action.job)
      return {
        text: `Undo the job J-${action.job}`,
        unsuitable: ({ agent_id }) =>
          changed.has(agent_id) ? changed.get(agent_id) : 'The job has not changed this machine.',
      }
    }
  }
}

const POWER = { reboot: 'Restart the machine', shutdown: 'Shut down the machine', wake: 'Wake the machine' }

function readAgents(db: Db, agentIds: string[]) {
  return db
    .selectFrom('agents')
    .select(['agent_id', 'site_id', 'maintenance_mode'])
    .where('agent_id', 'in', agentIds)
    .execute()
}

/** Returns what makes the run of a machine, or throws why it cannot run there. */
export async function openRunOrders(
  ctx: Context,
  caller: Caller,
  {
    action,
    agents,
    expiresInSeconds,
    jobId,
  }: { action: RunAction; agents: AgentWithSite[]; expiresInSeconds: number; jobId: number },
): Promise<(agent: AgentWithSite) => RunRequest> {
  const install = (
    agent: AgentWithSite,
    label: { command: string; args: string[] },
    work: Extract<
      RunRequest['work'],
      { name: 'install-patches' | 'install-file' | 'push-file' | `${PackageChange}-package` }
    >,
  ): RunRequest => ({
    agent,
    caller,
    label: { ...label, shell: '' },
    expiresInSeconds,
    saveAsNote: false,
    work,
  })
  switch (action.type) {
    case 'command': {
      const { type: _, ...body } = action
      return (agent) => commandOrder(agent, caller, { ...body, expires_in: expiresInSeconds, wait: false })
    }
    case 'script': {
      const { type: _, save_as_note, save_to_field: _field, save_all_output: _all, ...body } = action
      return openScriptOrders(ctx, caller, {
        agentIds: agents.map(({ agent_id }) => agent_id),
        body: {
          ...body,
          output: save_as_note === true ? 'note' : 'forget',
          expires_in: expiresInSeconds,
          wait: false,
        },
      })
    }
    case 'software': {
      const { names, timeout } = action
      return (agent) =>
        install(
          agent,
          { command: describePackageChange(action.do, names), args: [] },
          {
            name: `${action.do}-package`,
            input: { names, timeout_seconds: timeout, output_cap_bytes: OUTPUT_CAP_BYTES },
          },
        )
    }
    case 'package_file': {
      const file = await requirePackageFile(ctx.db, action.file)
      return (agent) =>
        install(
          agent,
          { command: `Install the file "${file.name}"`, args: [] },
          { name: 'install-file', input: orderPackageFile(file, action.timeout) },
        )
    }
    case 'push_file': {
      const { label, input } = await orderPush(ctx.db, action, jobId)
      return (agent) =>
        install(
          agent,
          { command: label, args: [] },
          { name: 'push-file', input: { ...input, token: newToken() } },
        )
    }
    case 'install_patches': {
      const patches = new Map<string, Awaited<ReturnType<typeof readPatches>>>()
      for (const { agent_id, id } of agents) patches.set(agent_id, await readPatches(ctx.db, id))
      return (agent) => {
        const chosen = (patches.get(agent.agent_id) ?? []).filter((patch) => patch.action === 'approve')
        if (chosen.length === 0)
          throw new AppError('conflict', `${agent.hostname} has no approved patch that is missing.`)
        return install(
          agent,
          {
            command:
              chosen.length === 1
                ? 'Install the approved patch'
                : `Install ${chosen.length} approved patches`,
            args: chosen.map(({ title }) => title),
          },
          {
            name: 'install-patches',
            input: {
              guids: chosen.map(({ guid }) => guid),
              timeout_seconds: action.timeout,
              output_cap_bytes: OUTPUT_CAP_BYTES,
            },
          },
        )
      }
    }
  }
}

interface DirectWork {
  action: DirectAction
  agent: AgentWithSite
  /** For undo: what was there before. */
  before: BeforeJob | undefined
  /** Stores what only the machine knows, before it is changed. */
  keep: Keep
}

/** Carries out an action without a run. Returns what was done, as words, or throws. */
export async function actOnMachine(
  ctx: Context,
  { fleet, caller }: { fleet: Fleet; caller: Caller },
  { action, agent, before, keep }: DirectWork,
): Promise<string> {
  const agentId = agent.agent_id
  const request = { fleet, caller, agentId }
  switch (action.type) {
    case 'power': {
      if (action.action === 'wake') {
        const { sent_by } = await wakeMachine(ctx, request)
        return `Wake-up packet sent by ${sent_by.join(', ')}`
      }
      const order = { fleet, caller, agent }
      if (action.now) {
        const { answered } = await changePower(ctx, order, action.action)
        return answered ? 'Done' : 'Requested; the machine went offline before it responded'
      }
      const { planned } = await planPower(ctx, { ...order, action: action.action, warning: action.warning })
      return planned === null
        ? 'Done'
        : `Planned, and the user is warned ${action.warning.delay_minutes} minutes before`
    }
    case 'service':
      return actOnService(ctx, request, { action, keep })
    case 'maintenance':
      await changeAgent(ctx, caller, agentId, { maintenance_mode: action.on })
      return `Maintenance mode is ${action.on ? 'on' : 'off'}`
    case 'run_checks':
      await runNow(ctx, fleet, { caller, agentId, ids: undefined })
      return 'Requested'
    case 'refresh': {
      const author = caller.username
      if (!(await fleet.sendAgentCommand(agentId, 'report-facts', { input: {}, author })))
        throw new AppError('agent_offline', `${agent.hostname} is offline.`)
      return 'Requested'
    }
    case 'scan_patches':
      await scanMachine(ctx, request)
      return 'Scanned'
    case 'update_agent':
      await orderUpdates(ctx, caller, [agentId])
      return 'Ordered'
    case 'move':
      await changeAgent(ctx, caller, agentId, { site: action.site })
      return 'Moved'
    case 'custom_field':
      await changeAgent(ctx, caller, agentId, {
        custom_fields: [{ field: action.field, value: action.value }],
      })
      return 'Set'
    case 'tags':
      await changeTags(ctx, caller, { agents: [agentId], add: action.add, remove: action.remove })
      return 'Changed'
    case 'approve_patches':
      return decideInJob(ctx, caller, { machine: agent, action })
    case 'registry':
      return actOnRegistry(ctx, request, { action, keep })
    case 'file':
      return writeJobFile(ctx, request, { action, keep })
    case 'undo':
      if (before === undefined) throw new AppError('conflict', 'The job has not changed this machine.')
      return restoreMachine(ctx, request, { agent, before })
  }
}
