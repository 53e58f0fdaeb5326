import { type CommandName, commands } from '@muster/contract/agent/commands'
import { z } from 'zod'
import { cancel, runCommand, runScript, runTask } from './runs.ts'
import { type AgentCommand, describeWrongInput } from './command.ts'
import { endProcess, setPriority, watchProcesses } from './processes.ts'
import { endSession, listShells, openChannel, setRemoteRules } from './remote.ts'
import { controlService, listServices, readServiceLog, setStartType } from './services.ts'
import {
  beginUpload,
  changeFile,
  dropUpload,
  listFolder,
  lookAtUpload,
  readText,
  writeText,
} from './files.ts'
import { changePower, sendWakeUp } from './power.ts'
import { installPackage, installPatches, reportSoftware, scanPatches } from './software.ts'
import { readLog } from './read-log.ts'
import { changeRegistry, readRegistryKey, readRegistryValue } from './registry.ts'
import { reportFacts, watchMetrics } from './facts.ts'
import { runChecks, setChecks } from './definitions.ts'
import { uninstall } from './uninstall.ts'

/** As in the contract, but definitions are parsed one by one, because a newer server may know more types. */
const Input = commands['set-tasks'].extend({ put: z.array(z.unknown()).max(200) })

const setTasks: AgentCommand = {
  isRun: false,
  check(raw) {
    const input = Input.safeParse(raw)
    if (!input.success) return { wrong: describeWrongInput(input.error) }
    return { take: ({ tasks }) => tasks.set(input.data) }
  },
}

/** Every command that a server can send to this machine. */
export const commandTable: Record<CommandName, AgentCommand> = {
  'run-command': runCommand,
  'run-script': runScript,
  cancel,
  'report-facts': reportFacts,
  'report-software': reportSoftware,
  'scan-patches': scanPatches,
  'install-patches': installPatches,
  'install-package': installPackage,
  'set-checks': setChecks,
  'run-checks': runChecks,
  'set-tasks': setTasks,
  'run-task': runTask,
  'watch-metrics': watchMetrics,
  'watch-processes': watchProcesses,
  'end-process': endProcess,
  'set-priority': setPriority,
  'list-shells': listShells,
  'list-services': listServices,
  'control-service': controlService,
  'set-start-type': setStartType,
  'read-service-log': readServiceLog,
  'read-log': readLog,
  'read-registry-key': readRegistryKey,
  'read-registry-value': readRegistryValue,
  'change-registry': changeRegistry,
  'change-power': changePower,
  'send-wake-up': sendWakeUp,
  'open-channel': openChannel,
  'end-session': endSession,
  'set-remote-rules': setRemoteRules,
  'list-folder': listFolder,
  'change-file': changeFile,
  'begin-upload': beginUpload,
  'look-at-upload': lookAtUpload,
  'drop-upload': dropUpload,
  'read-text': readText,
  'write-text': writeText,
  uninstall,
}
