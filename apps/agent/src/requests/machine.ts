import type { MachineService } from '@muster/contract/agent/services'
import { AgentError } from '../errors.ts'
import type { ServiceTools } from '../os/os.ts'
import { type CommandContext, defineCommand, defineRequest } from './command.ts'

export const readLog = defineRequest('read-log', async (search, { os }) =>
  (await os.loadLogTools()).read(search),
)

export const uninstall = defineCommand('uninstall', {
  isRun: false,
  take: (_, context) => context.uninstall(),
})

export const updateAgent = defineCommand('update-agent', {
  isRun: false,
  take: (manifest, { updates }) => updates.install(manifest),
})

export const watchMetrics = defineCommand('watch-metrics', {
  isRun: false,
  take: ({ seconds }, { liveMetrics }) => liveMetrics.watch(seconds),
})

export const reportFacts = defineCommand('report-facts', {
  isRun: false,
  take: (_, { refreshFacts }) => refreshFacts(),
})

export const readRegistryKey = defineRequest('read-registry-key', async (place, { os }) =>
  (await os.loadRegistryTools()).readKey(place),
)

export const readRegistryValue = defineRequest('read-registry-value', async (place, { os }) =>
  (await os.loadRegistryTools()).readValue(place),
)

export const findRegistryValue = defineRequest('find-registry-value', async (place, { os }) =>
  (await os.loadRegistryTools()).findValue(place),
)

export const changeRegistry = defineRequest('change-registry', async (change, { os }) =>
  (await os.loadRegistryTools()).change(change),
)

export const setPriority = defineRequest('set-priority', async (input, { os }) => {
  const tools = await os.loadProcessTools()
  return { name: (await tools.setPriority(input, input.nice)).slice(0, 255) }
})

export const endProcess = defineRequest('end-process', async (input, { os }) => {
  const tools = await os.loadProcessTools()
  return tools.end(input, input)
})

export const watchProcesses = defineCommand('watch-processes', {
  isRun: false,
  take: ({ seconds }, { liveProcesses }) => liveProcesses.watch(seconds),
})

/** Limit for a reply, and for a message between two server processes. */
const MAX_CHARACTERS = 200_000
const MAX_LINE_CHARACTERS = 4000

export const readServiceLog = defineRequest('read-service-log', async ({ name, lines }, { os }) => {
  const tools = await os.loadServiceTools()
  const kept: string[] = []
  let characters = 0
  for (const line of (await tools.readLog(name, lines)).slice(-lines).toReversed()) {
    const cut = line.slice(0, MAX_LINE_CHARACTERS)
    characters += cut.length
    if (characters > MAX_CHARACTERS) break
    kept.push(cut)
  }
  return { lines: kept.toReversed() }
})

export const setStartType = defineRequest('set-start-type', ({ name, start_type }, context) =>
  changeService(name, context, (tools, found) => tools.setStartType(found, start_type)),
)

export const controlService = defineRequest('control-service', ({ name, action }, context) =>
  changeService(name, context, (tools, found) => tools.control(found, action)),
)

export const listServices = defineRequest('list-services', async ({ name }, { os }) => {
  const tools = await os.loadServiceTools()
  return { services: await tools.list(name) }
})

export const listSystemTasks = defineRequest('list-system-tasks', async ({ name }, { os }) => {
  const scheduler = await os.loadScheduler()
  return { tasks: await scheduler.list(name) }
})

export const changeSystemTask = defineRequest('change-system-task', async ({ name, action }, { os }) => {
  const scheduler = await os.loadScheduler()
  const [before] = await scheduler.list(name)
  if (before === undefined) throw new AgentError(`The task ${name} does not exist.`)
  await scheduler.change(before.name, action)
  const [after] = await scheduler.list(before.name)
  if (after === undefined) throw new AgentError(`The task ${name} no longer exists.`)
  return after
})

/**
 * Changes a service by the name that the system has for it, which may differ from the one that was typed, and returns
 * its new state. The agent's own service is refused, because the agent could not reply.
 */
async function changeService(
  name: string,
  { os, dataFolder }: CommandContext,
  change: (tools: ServiceTools, name: string) => Promise<void>,
): Promise<MachineService> {
  const tools = await os.loadServiceTools()
  const [before] = await tools.list(name)
  if (before === undefined) throw new AgentError(`Service ${name} does not exist.`)
  if (before.name === tools.ownName(dataFolder))
    throw new AgentError("This is the agent's own service, which cannot be changed here.")
  await change(tools, before.name)
  const [after] = await tools.list(before.name)
  if (after === undefined) throw new AgentError(`Service ${name} no longer exists.`)
  return after
}

export const sendWakeUp = defineRequest('send-wake-up', async ({ macs }) => {
  const { findBroadcasts, sendMagicPackets } = await import('../os/wake-up.ts')
  const broadcasts = findBroadcasts()
  if (broadcasts.length === 0)
    throw new AgentError('The machine is in no network that a wake-up packet could be sent to.')
  return { count: await sendMagicPackets(macs, broadcasts) }
})

/** At once, without a warning. The agent is often stopped before it can reply. */
export const changePower = defineRequest('change-power', async ({ action }, { power }) => {
  await (await power.plans()).doNow(action)
  return {}
})

export const planPower = defineRequest('plan-power', async (plan, { power, payload }) =>
  (await power.plans()).plan(plan, payload.author),
)

export const cancelPower = defineRequest('cancel-power', async ({ id }, { power }) => {
  await (await power.plans()).cancel(id)
  return {}
})

export const rebootIfNobody = defineRequest('reboot-if-nobody', async (_, { power }) => ({
  done: await (await power.plans()).rebootIfNobody(),
}))
