import { commands } from '@muster/contract/agent/commands'
import { z } from 'zod'
import { describeWrongInput, type AgentCommand } from './command.ts'

/** As the contract has it, except that definitions are read one by one: a newer server may know more types. */
const Input = commands['set-tasks'].extend({ put: z.array(z.unknown()).max(200) })

export const setTasks: AgentCommand = {
  isRun: false,
  check(raw) {
    const input = Input.safeParse(raw)
    if (!input.success) return { wrong: describeWrongInput(input.error) }
    return { take: ({ tasks }) => tasks.set(input.data) }
  },
}
