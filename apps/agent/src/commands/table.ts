import type { CommandName } from '@muster/contract/agent/commands'
import { cancel } from './cancel.ts'
import type { AgentCommand } from './command.ts'
import { reportFacts } from './report-facts.ts'
import { runChecks } from './run-checks.ts'
import { runCommand } from './run-command.ts'
import { runScript } from './run-script.ts'
import { runTask } from './run-task.ts'
import { setChecks } from './set-checks.ts'
import { setTasks } from './set-tasks.ts'
import { uninstall } from './uninstall.ts'
import { watchMetrics } from './watch-metrics.ts'

/** Everything that a server may ask of this machine. */
export const commandTable: Record<CommandName, AgentCommand> = {
  'run-command': runCommand,
  'run-script': runScript,
  cancel,
  'report-facts': reportFacts,
  'set-checks': setChecks,
  'run-checks': runChecks,
  'set-tasks': setTasks,
  'run-task': runTask,
  'watch-metrics': watchMetrics,
  uninstall,
}
