import { type CommandInput, commands } from '@muster/contract/agent/commands'
import type { QuestionName, Reply } from '@muster/contract/agent/questions'
import { Unmeasurable } from '../checks/unmeasurable.ts'
import { describeError } from '../log/log.ts'
import { MachineRefused } from '../os/machine-refused.ts'
import { type AgentCommand, type CommandContext, describeWrongInput } from './command.ts'

/** A command that always gets a `reply` frame. */
export function defineQuestion<Name extends QuestionName>(
  name: Name,
  answer: (input: CommandInput<Name>, context: CommandContext) => Promise<Reply<Name>>,
): AgentCommand {
  return {
    isRun: false,
    check(raw) {
      const input = commands[name].safeParse(raw)
      if (!input.success) return { wrong: describeWrongInput(input.error) }
      // The schema of this name has parsed the input. TypeScript loses that through the generic index.
      const parsed = input.data as CommandInput<Name>
      return {
        take: async (context) => {
          const { nonce } = context.payload
          try {
            const found = await answer(parsed, context)
            context.sendReply({ nonce, refused: null, answer: found })
          } catch (cause) {
            const isTold = cause instanceof MachineRefused || cause instanceof Unmeasurable
            const refused = isTold ? cause.message : `The agent failed: ${describeError(cause)}`
            context.sendReply({ nonce, refused, answer: null })
            if (!isTold) throw cause
          }
        },
      }
    },
  }
}
