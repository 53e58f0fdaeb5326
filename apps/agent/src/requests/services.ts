import type { MachineService } from '@muster/contract/agent/services'
import { MachineRefused } from '../os/machine-refused.ts'
import type { ServiceTools } from '../os/service-tools.ts'
import { defineQuestion } from './question.ts'
import type { CommandContext } from './command.ts'

/** Limit for a reply, and for a message between two server processes. */
const MOST_CHARACTERS = 200_000
const LONGEST_LINE = 4000

export const readServiceLog = defineQuestion('read-service-log', async ({ name, lines }, { os }) => {
  const tools = await os.loadServiceTools()
  const kept: string[] = []
  let characters = 0
  for (const line of (await tools.readLog(name, lines)).slice(-lines).toReversed()) {
    const cut = line.slice(0, LONGEST_LINE)
    characters += cut.length
    if (characters > MOST_CHARACTERS) break
    kept.push(cut)
  }
  return { lines: kept.toReversed() }
})

export const setStartType = defineQuestion('set-start-type', ({ name, start_type }, context) =>
  changeService(name, context, (tools) => tools.setStartType(name, start_type)),
)

export const controlService = defineQuestion('control-service', ({ name, action }, context) =>
  changeService(name, context, (tools) => tools.control(name, action)),
)

export const listServices = defineQuestion('list-services', async ({ name }, { os }) => {
  const tools = await os.loadServiceTools()
  return { services: await tools.list(name) }
})

/**
 * Changes a service and returns its new state. The agent's own service is refused, because the agent could not
 * reply.
 */
async function changeService(
  name: string,
  { os, dataFolder }: CommandContext,
  change: (tools: ServiceTools) => Promise<void>,
): Promise<MachineService> {
  const tools = await os.loadServiceTools()
  if (name === tools.ownName(dataFolder))
    throw new MachineRefused("This is the agent's own service, which cannot be changed here.")
  if ((await tools.list(name)).length === 0) throw new MachineRefused(`Service ${name} does not exist.`)
  await change(tools)
  const after = (await tools.list(name))[0]
  if (after === undefined) throw new MachineRefused(`Service ${name} no longer exists.`)
  return after
}
