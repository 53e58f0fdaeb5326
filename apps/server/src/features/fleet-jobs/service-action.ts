import type { MachineService, ServiceAction, WantedStartType } from '@muster/contract/agent/services'
import type { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { AgentRequest } from '../agents/request-agent.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { changeService, changeStartType, START_WORDS } from '../remote/services/routes.ts'
import type { Keep } from './kept-values.ts'

type Action = Extract<JobAction, { type: 'service' }>

export interface ServiceBefore {
  name: string
  isRunning: boolean
  /** Undefined = something else starts it, and it cannot be set. */
  startType: WantedStartType | undefined
}

const VERBS: Record<ServiceAction, string> = { start: 'Start', stop: 'Stop', restart: 'Restart' }

export function describeServiceAction({ name, action, start_type }: Action): string {
  const start = start_type === undefined ? '' : `set its start type to ${START_WORDS[start_type]}`
  if (action === undefined)
    return `Set the start type of the service "${name}" to ${START_WORDS[start_type ?? 'auto']}`
  return `${VERBS[action]} the service "${name}"${start === '' ? '' : ` and ${start}`}`
}

/** Returns the new state, as words. */
export async function actOnService(
  ctx: Context,
  request: AgentRequest,
  { action: { name, action, start_type }, keep }: { action: Action; keep: Keep },
): Promise<string> {
  const service = await findService(ctx, request, name)
  const before = { name, isRunning: isRunning(service), startType: startTypeOf(service) }
  const isInState = action === undefined || before.isRunning === (action !== 'stop')
  const isSet = isInState && (start_type ?? before.startType) === before.startType
  await keep({ service: before }, { isSet })
  return apply(ctx, request, { name, action, startType: start_type })
}

export async function restoreService(
  ctx: Context,
  request: AgentRequest,
  { name, isRunning: wasRunning, startType }: ServiceBefore,
): Promise<string> {
  const service = await findService(ctx, request, name)
  const isChanged = startType !== undefined && startType !== startTypeOf(service)
  const action = isRunning(service) === wasRunning ? undefined : wasRunning ? 'start' : 'stop'
  if (!isChanged && action === undefined) return 'The service is as before'
  return apply(ctx, request, { name, action, startType: isChanged ? startType : undefined })
}

interface Wanted {
  name: string
  action: ServiceAction | undefined
  startType: WantedStartType | undefined
}

/** A disabled service cannot be started, and one that is disabled first may be started again meanwhile. */
async function apply(
  ctx: Context,
  request: AgentRequest,
  { name, action, startType }: Wanted,
): Promise<string> {
  const setStartType = async () =>
    startType === undefined ? undefined : changeStartType(ctx, request, { name, start_type: startType })
  const control = async () =>
    action === undefined ? undefined : changeService(ctx, request, { name, action })
  const isLast = action === 'stop'
  const service = isLast
    ? ((await control(), await setStartType()) ?? (await findService(ctx, request, name)))
    : ((await setStartType(), await control()) ?? (await findService(ctx, request, name)))
  const start = startType === undefined ? '' : `, and its start type ${START_WORDS[startType]}`
  return `The service is ${service.status}${start}`
}

async function findService(
  ctx: Context,
  { fleet, caller, agentId }: AgentRequest,
  name: string,
): Promise<MachineService> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const { services } = await fleet.ask(agent, 'list-services', { input: { name }, author: caller.username })
  const [service] = services
  if (service === undefined) throw new AppError('conflict', `${agent.hostname} has no service "${name}".`)
  return service
}

const isRunning = ({ status }: MachineService): boolean => status === 'running' || status === 'starting'

function startTypeOf({ start_type, autodelay }: MachineService): WantedStartType | undefined {
  if (start_type === 'fixed') return undefined
  return start_type === 'auto' && autodelay ? 'autodelay' : start_type
}
