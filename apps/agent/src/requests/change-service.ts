import type { MachineService } from '@muster/contract/agent/services'
import { MachineRefused } from '../os/machine-refused.ts'
import type { ServiceTools } from '../os/service-tools.ts'
import type { CommandContext } from './command.ts'

/** Changes a service and tells how it is afterwards. The agent's own is left alone: nobody could answer. */
export async function changeService(
  name: string,
  { os, dataFolder }: CommandContext,
  change: (tools: ServiceTools) => Promise<void>,
): Promise<MachineService> {
  const tools = await os.loadServiceTools()
  if (name === tools.ownName(dataFolder))
    throw new MachineRefused('This is the service of the agent itself, which cannot be changed from here.')
  if ((await tools.list(name)).length === 0) throw new MachineRefused(`There is no service ${name}.`)
  await change(tools)
  const after = (await tools.list(name))[0]
  if (after === undefined) throw new MachineRefused(`There is no service ${name} any more.`)
  return after
}
