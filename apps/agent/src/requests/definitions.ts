import { commands } from '@muster/contract/agent/commands'
import { z } from 'zod'
import { type AgentCommand, defineCommand, describeWrongInput } from './command.ts'

export const runChecks = defineCommand('run-checks', {
  isRun: false,
  take: ({ ids }, { checks }) => checks.runNow(ids),
})

/** As in the contract, but definitions are parsed one by one, because a newer server may know more types. */
const Input = commands['set-checks'].extend({ put: z.array(z.unknown()).max(500) })

export const setChecks: AgentCommand = {
  isRun: false,
  check(raw) {
    const input = Input.safeParse(raw)
    if (!input.success) return { wrong: describeWrongInput(input.error) }
    return { take: ({ checks }) => checks.set(input.data) }
  },
}
