import {
  type CommandInput,
  type CommandName,
  type CommandPayload,
  commands,
} from '@muster/contract/agent/commands'
import { z } from 'zod'
import type { LiveFrame } from '@muster/contract/agent/agent-frame'
import type { RequestName, Reply } from '@muster/contract/agent/replies'
import type { Checks } from '../checks/checks.ts'
import type { PatchReporter } from '../collectors/patch-reporter.ts'
import type { SoftwareReporter } from '../collectors/software-reporter.ts'
import type { WhileWatched } from '../collectors/live-sampler.ts'
import type { Files } from '../remote/files/files.ts'
import type { OpenParts } from '../remote/files/open-parts.ts'
import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Power } from '../power/power.ts'
import type { RemoteTools } from '../remote/remote-tools.ts'
import type { Installing } from '../run/installations.ts'
import type { Runs } from '../run/runs.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Updates } from '../update/updates.ts'
import { AgentError, MeasureError } from '../errors.ts'

export interface CommandContext {
  payload: CommandPayload
  expiresAtMs: number
  dataFolder: string
  os: Os
  runs: Runs
  checks: Checks
  tasks: Tasks
  liveMetrics: Pick<WhileWatched, 'watch'>
  liveProcesses: Pick<WhileWatched, 'watch'>
  sendReply: (reply: ReplyParts) => void
  power: Power
  remote: RemoteTools
  files: Files
  openParts: OpenParts
  log: Log
  refreshFacts: () => Promise<void>
  software: Pick<SoftwareReporter, 'reportAll'>
  patches: Pick<PatchReporter, 'scan'>
  installing: Installing
  updates: Pick<Updates, 'install'>
  uninstall: () => Promise<void>
}

export type ReplyParts = Omit<Extract<LiveFrame, { type: 'reply' }>, 'type'>

/** A command of the contract: `check` returns what is wrong with the input, `take` starts the work. */
export interface AgentCommand {
  /** Whether it is a run, whose output and result are reported. */
  isRun: boolean
  check: (input: unknown) => { wrong: string } | { take: (context: CommandContext) => void | Promise<void> }
}

export function defineCommand<Name extends CommandName>(
  name: Name,
  options: {
    isRun: boolean
    take: (input: CommandInput<Name>, context: CommandContext) => void | Promise<void>
  },
): AgentCommand {
  return {
    isRun: options.isRun,
    check(raw) {
      const input = commands[name].safeParse(raw)
      if (!input.success) return { wrong: describeWrongInput(input.error) }
      // The schema of this name has parsed the input. TypeScript loses that through the generic index.
      const parsed = input.data as CommandInput<Name>
      return { take: (context) => options.take(parsed, context) }
    },
  }
}

export function describeWrongInput(error: z.ZodError): string {
  return z.prettifyError(error).replaceAll(/\s+/g, ' ').slice(0, 500)
}

/** A command that always gets a `reply` frame. */
export function defineRequest<Name extends RequestName>(
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
            const isExpected = cause instanceof AgentError || cause instanceof MeasureError
            const refused = isExpected ? cause.message : `The agent failed: ${describeError(cause)}`
            context.sendReply({ nonce, refused, answer: null })
            if (!isExpected) throw cause
          }
        },
      }
    },
  }
}
